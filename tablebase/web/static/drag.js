// Dragging with a pointer of any kind: mouse, finger or pen.

const FAR = 6; // pixels before it is no click

/** Let a piece be dragged from an element; `drop` gets the name of the square, or null beside the board. */
export function drag(element, picture, drop, allowed) {
  element.addEventListener("pointerdown", (down) => {
    if (down.button || !down.isPrimary || !allowed()) return;
    let ghost = null, over = null;

    const move = (event) => {
      if (!ghost && Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) < FAR) return;
      if (!ghost) {
        ghost = document.createElement("img");
        ghost.className = "ghost";
        ghost.alt = "";
        ghost.src = picture();
        document.body.append(ghost);
      }
      ghost.style.transform = `translate(${event.clientX}px, ${event.clientY}px)`;
      mark(squareAt(event));
      event.preventDefault();
    };
    const mark = (square) => {
      over?.classList.remove("over");
      over = square;
      over?.classList.add("over");
    };
    const end = (event) => {
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", end);
      removeEventListener("pointercancel", end);
      mark(null);
      if (!ghost) return;
      ghost.remove();
      // A click on the element follows, and is none.
      addEventListener("click", swallow, { capture: true, once: true });
      setTimeout(() => removeEventListener("click", swallow, { capture: true }), 0);
      if (event.type === "pointerup") drop(squareAt(event)?.dataset.square ?? null);
    };
    addEventListener("pointermove", move, { passive: false });
    addEventListener("pointerup", end);
    addEventListener("pointercancel", end);
  });
  element.addEventListener("dragstart", (event) => event.preventDefault());
}

function swallow(event) {
  event.preventDefault();
  event.stopPropagation();
}

function squareAt(event) {
  return document.elementFromPoint(event.clientX, event.clientY)?.closest(".square") ?? null;
}
