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

/** Show another page, and call `shown` when it is there; whatever goes wrong, the browser loads the page itself. */
export async function load(url, { keep = true, form = null, shown = () => {} } = {}) {
  const own = ++latest;
  let answer, text;
  try {
    answer = await fetch(url, form ? { method: "POST", body: new URLSearchParams(form) } : {});
    text = await answer.text();
  } catch {
    if (!form) location.assign(url);
    else announce("The server does not answer.");
    return;
  }
  if (own !== latest) return;
  const page = new DOMParser().parseFromString(text, "text/html");
  const main = page.querySelector("main");
  if (!main) {
    location.assign(url);
    return;
  }
  document.title = page.title;
  document.querySelector("main").replaceChildren(...main.childNodes);
  if (keep) history.pushState(null, "", answer.url + new URL(url, location).hash);
  here = place();
  shown();
}
