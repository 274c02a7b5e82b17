// Statements over positions: the API runs them, and the result is a table, a chart of bars and a file.
// The page of an address with a statement has the answer already.

const form = document.getElementById("mine");
const [said, chart, result, save] = ["said", "chart", "result", "csv"].map((id) => document.getElementById(id));
const BARS = 60; // more bars than this say nothing
let answer = null;

form?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const run = document.getElementById("run");
  const asked = { game: form.game.value, statement: form.statement.value };
  run.disabled = true;
  say("Running");
  try {
    const response = await fetch(form.dataset.api, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(asked) });
    const found = await response.json();
    if (response.ok) show(found);
    else refuse(found.detail ?? "The server cannot answer the request.");
  } catch {
    refuse("The server does not answer.");
  }
  run.disabled = false;
  history.replaceState(null, "", `?${new URLSearchParams(asked)}`);
});

for (const link of document.querySelectorAll("[data-statement]")) {
  link.addEventListener("click", (event) => {
    event.preventDefault();
    form.statement.value = link.dataset.statement;
    form.requestSubmit();
  });
}

save?.addEventListener("click", () => {
  const lines = [answer.columns, ...answer.rows].map((row) => row.map(quoted).join(","));
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([lines.join("\r\n") + "\r\n"], { type: "text/csv" }));
  link.download = "result.csv";
  link.click();
  URL.revokeObjectURL(link.href);
});

/** Say something, and whether it is an error. */
function say(sentence, isError = false) {
  said.className = isError ? "result problem" : "";
  said.setAttribute("role", isError ? "alert" : "status");
  said.textContent = sentence;
}

function refuse(sentence) {
  say(sentence, true);
  chart.replaceChildren();
  result.hidden = save.hidden = true;
}

/** The answer of the API, whose rows are objects. */
function show({ columns, rows: objects, complete }) {
  const found = { columns, rows: objects.map((row) => columns.map((name) => row[name])) };
  answer = found;
  say((found.rows.length === 1 ? "1 row" : `${found.rows.length.toLocaleString("en")} rows`) + (complete ? "" : ", more rows exist"));
  const numeric = found.columns.map((_, place) => found.rows.some((row) => typeof row[place] === "number"));
  const head = element("tr", found.columns.map((name, place) => cell("th", name, numeric[place], "col")));
  const rows = found.rows.map((row) => element("tr", row.map((value, place) => cell("td", shown(value), numeric[place]))));
  result.replaceChildren(element("table", [element("thead", [head]), element("tbody", rows)]));
  result.hidden = save.hidden = false;
  drawChart(found, numeric);
}

/** Bars of the last column if it holds numbers, named by all columns before it. */
function drawChart({ columns, rows }, numeric) {
  const last = columns.length - 1;
  const values = rows.map((row) => Number(row[last]));
  chart.replaceChildren();
  if (last < 1 || !numeric[last] || rows.length < 2 || rows.length > BARS || values.some((value) => !(value >= 0))) return;
  const most = Math.max(...values) || 1;
  const bars = rows.map((row, number) => {
    const bar = element("span", []);
    bar.className = "bar";
    bar.style.width = `${(100 * values[number]) / most}%`;
    const name = element("span", [row.slice(0, last).map(shown).join(" ")]);
    name.className = "name";
    const track = element("span", [bar]);
    track.className = "room";
    const amount = element("span", [shown(row[last])]);
    amount.className = "amount";
    return element("li", [name, track, amount]);
  });
  const list = element("ul", bars);
  list.className = "bars card";
  list.setAttribute("aria-label", `${columns[last]} as bars`);
  chart.append(list);
}

function element(tag, children) {
  const made = document.createElement(tag);
  made.append(...children);
  return made;
}

function cell(tag, text, isNumber, scope = null) {
  const made = element(tag, [text]);
  if (isNumber) made.className = "n";
  if (scope) made.scope = scope;
  return made;
}

function shown(value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return value.toLocaleString("en", { maximumFractionDigits: 6 });
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function quoted(value) {
  const text = value === null || value === undefined ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const given = document.getElementById("answer");
if (given) show(JSON.parse(given.textContent));
