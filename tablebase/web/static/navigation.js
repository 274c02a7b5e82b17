// Pages without a reload: the server renders them, and their main part takes the place of the one that is shown.

const live = document.createElement("div");
live.className = "hidden";
live.setAttribute("role", "status");
document.body.append(live);

const place = () => location.pathname + location.search;
let here = place();
let latest = 0;

/** Call `handler` when the browser goes back or forth to another page; a jump within the page is none. */
export function onReturn(handler) {
  addEventListener("popstate", () => {
    if (place() === here) return;
    here = place();
    handler();
  });
}

/** Let screen readers hear a sentence. */
export function announce(sentence) {
  live.textContent = "";
  requestAnimationFrame(() => { live.textContent = sentence; });
}

/** The page at an address, and the address that it has in the end; null if it cannot be read. */
export async function fetched(url) {
  try {
    const answer = await fetch(url);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    return page.querySelector("main") && { page, url: answer.url };
  } catch {
    return null;
  }
}

/** Show another page, and call `shown` when it is there; if it cannot be read, the browser loads the page itself. */
export async function load(url, { keep = true, shown = () => {} } = {}) {
  const own = ++latest;
  const found = await fetched(url);
  if (own !== latest) return;
  if (!found) {
    location.assign(url);
    return;
  }
  document.title = found.page.title;
  document.querySelector("main").replaceChildren(...found.page.querySelector("main").childNodes);
  if (keep) history.pushState(null, "", found.url + new URL(url, location).hash);
  here = place();
  shown();
}
