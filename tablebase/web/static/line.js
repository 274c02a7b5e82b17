// The optimal line, played forth and back on the board.

export class Line {
  constructor(root, picture, moved) {
    this.links = [...root.querySelectorAll("a[data-position]")];
    this.at = root.querySelector("#at");
    this.picture = picture;
    this.moved = moved;
    this.ply = 0;
    root.querySelector(".stepper").hidden = false;
    this.buttons = new Map([...root.querySelectorAll("[data-step]")].map((button) => [button.dataset.step, button]));
    const steps = { first: -Infinity, back: -1, forth: 1, last: Infinity };
    for (const [name, button] of this.buttons) button.addEventListener("click", () => this.step(steps[name]));
    this.mark();
  }

  step(plies) {
    const ply = Math.max(0, Math.min(this.links.length - 1, this.ply + plies));
    if (ply === this.ply) return;
    this.ply = ply;
    this.draw();
    this.mark();
    this.moved(ply);
  }

  /** The picture of the ply, again if something else has been shown for a while. */
  draw() {
    const { position, last, best, said } = this.links[this.ply].dataset;
    if (this.ply) this.picture.show({ position, last, arrows: best, alt: `After ${last}: ${said}` });
    else this.picture.restore();
  }

  mark() {
    this.links.forEach((link, ply) => {
      if (ply === this.ply) link.setAttribute("aria-current", "step");
      else link.removeAttribute("aria-current");
    });
    // Not disabled, which would take the focus away.
    const end = this.links.length - 1;
    for (const [name, button] of this.buttons) {
      button.setAttribute("aria-disabled", String(name === "first" || name === "back" ? this.ply === 0 : this.ply === end));
    }
    this.at.textContent = `${this.ply} of ${end}: ${this.links[this.ply].dataset.said}`;
  }
}
