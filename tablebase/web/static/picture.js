// The picture of a board, which shows other positions and arrows for a while.

export function boardPicture(root) {
  const picture = root.querySelector("#frame picture");
  const image = picture.querySelector("img");
  const dark = picture.querySelector("source");
  const before = { image: image.src, dark: dark.srcset, alt: image.alt };
  const base = root.dataset.pictures;

  const address = (position, query) => `${base}${position.replace(" ", "_").split("/").map(encodeURIComponent).join("/")}.svg?${new URLSearchParams(query)}`;

  return {
    /** A position, by default that of the page, with the last move and arrows. */
    show({ position = root.dataset.position, last = root.dataset.last ?? "", arrows = "", alt = image.alt }) {
      dark.srcset = address(position, { theme: "dark", last, arrows });
      image.src = address(position, { theme: "light", last, arrows });
      image.alt = alt;
    },
    /** What the page shows. */
    restore() {
      dark.srcset = before.dark;
      image.src = before.image;
      image.alt = before.alt;
    },
  };
}
