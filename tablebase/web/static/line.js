// The optimal line, played forth and back on the board, with the value and the moves of each position.

import { fetched } from "./navigation.js";

export class Line {
  constructor(root, picture, moved) {
    this.value = document.getElementById("value");
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
    this.showValue(this.links[ply]);
  }

  /** The heading and the moves of a position, from its page. */
  async showValue(link) {
    this.moved(false);
    const value = (await fetched(link.href))?.page.getElementById("value");
    if (link !== this.links[this.ply]) return;
    const heading = this.value.querySelector("h1");
    if (value) this.value.replaceChildren(...value.childNodes);
    else this.value.replaceChildren(Object.assign(heading, { textContent: link.dataset.said }));
    this.moved(Boolean(value));
  }

  get position() {
    return this.links[this.ply].dataset.position;
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
