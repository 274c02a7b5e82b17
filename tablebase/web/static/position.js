// The board of a position: set up by drag, click and keyboard; moves shown when pointed at; the line forth and back.

import { announce, load, onReturn } from "./navigation.js";
import { drag } from "./drag.js";
import { Line } from "./line.js";
import { boardPicture } from "./picture.js";

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

const PAUSE = 700; // milliseconds before another player moves, so that people see what has happened

let mode = "play"; // what a click does; it outlasts the page
let brush = null; // the piece that a click puts on the board, if one is chosen
let page = null;

class Page {
  constructor(root) {
    this.root = root;
    this.board = JSON.parse(root.dataset.board);
    this.pieces = new Map(Object.entries(this.board.pieces));
    this.picture = boardPicture(root);
    this.takeMoves();
    this.tools = root.querySelector("#tools");
    this.hint = root.querySelector("#said");
    this.held = null;
    this.makeSquares();
    if (this.tools) this.makeTools();
    const line = root.querySelector("#line");
    this.line = line && new Line(line, this.picture, (isThere) => {
      this.squares.hidden = !isThere || this.line.ply > 0;
      this.release();
      if (isThere) this.takeMoves();
    });
  }

  takeMoves() {
    this.moves = new Map([...this.root.querySelectorAll("a[data-move]")].map((link) => [link.dataset.move, link]));
    for (const [move, link] of this.moves) this.showWhenPointedAt(move, link);
  }

  // Where nothing can be played, pieces can still be set up.
  get mode() {
    return mode === "play" && this.tools && !this.moves.size ? "move" : mode;
  }

  makeSquares() {
    const [width, height] = this.board.size;
    this.squares = document.createElement("div");
    this.squares.className = "squares";
    this.squares.setAttribute("role", "group");
    this.squares.setAttribute("aria-label", "Board");
    this.buttons = new Map();
    for (const square of this.board.squares) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "square";
      button.dataset.square = square.name;
      button.tabIndex = -1;
      Object.assign(button.style, { left: `${square.left}%`, top: `${square.top}%`, width: `${width}%`, height: `${height}%` });
      const symbol = this.pieces.get(square.name);
      button.classList.toggle("full", Boolean(symbol));
      button.setAttribute("aria-label", `${square.name}, ${symbol ? this.board.kinds[symbol] : "empty"}`);
      button.addEventListener("click", () => this.click(square.name));
      button.addEventListener("keydown", (event) => this.key(event, square));
      button.addEventListener("focus", () => this.rove(button));
      if (symbol) {
        button.classList.add("held");
        drag(button, () => this.pieceAddress(symbol), (target) => this.drop(square.name, target), () => !brush && this.mode !== "remove");
      }
      this.buttons.set(square.name, button);
    }
    // Read from the top of the board down.
    const order = [...this.board.squares].sort((one, other) => other.cell[1] - one.cell[1] || one.cell[0] - other.cell[0]);
    this.squares.append(...order.map((square) => this.buttons.get(square.name)));
    this.buttons.get(this.pieces.keys().next().value ?? order[0].name).tabIndex = 0;
    this.root.querySelector("#frame").append(this.squares);
  }

  makeTools() {
    this.tools.hidden = false;
    for (const radio of this.tools.querySelectorAll("input[name=mode]")) {
      radio.checked = !brush && radio.value === this.mode;
      radio.disabled = radio.value === "play" && !this.moves.size;
      radio.addEventListener("change", () => { mode = radio.value; this.choose(null); });
    }
    for (const button of this.tools.querySelectorAll("[data-symbol]")) {
      const symbol = button.dataset.symbol;
      button.setAttribute("aria-pressed", String(brush === symbol));
      button.addEventListener("click", () => this.choose(brush === symbol ? null : symbol));
      drag(button, () => this.pieceAddress(symbol), (target) => target && this.put(target, symbol), () => true);
    }
  }

  // What is chosen

  choose(symbol) {
    brush = symbol;
    this.release();
    for (const button of this.tools.querySelectorAll("[data-symbol]")) {
      button.setAttribute("aria-pressed", String(button.dataset.symbol === symbol));
    }
    for (const radio of this.tools.querySelectorAll("input[name=mode]")) radio.checked = !symbol && radio.value === this.mode;
    this.say(symbol ? `Choose squares for the ${this.board.kinds[symbol]}` : "");
  }

  pick(name) {
    this.release();
    this.held = name;
    this.buttons.get(name).classList.add("chosen");
    if (this.mode === "play") for (const target of this.targets(name)) this.buttons.get(target).classList.add("target");
    this.say(`${this.board.kinds[this.pieces.get(name)]} on ${name}: choose a target square`);
  }

  release() {
    this.held = null;
    for (const button of this.buttons.values()) button.classList.remove("chosen", "target");
  }

  targets(name) {
    return [...this.moves.keys()].filter((move) => this.buttons.has(move.slice(name.length)) && move.startsWith(name))
      .map((move) => move.slice(name.length));
  }

  // What is done

  click(name) {
    if (brush) this.put(name, this.pieces.get(name) === brush ? null : brush);
    else if (this.mode === "remove") this.put(name, null);
    else if (this.held && this.held !== name && (this.mode === "move" || this.targets(this.held).includes(name))) this.drop(this.held, name);
    else if (this.held === name) { this.release(); this.say(""); }
    else if (!this.pieces.has(name)) { this.release(); this.say(this.mode === "play" ? "" : `${name} is empty`); }
    else if (this.mode === "play" && !this.targets(name).length) this.say(`The ${this.board.kinds[this.pieces.get(name)]} on ${name} has no legal move`);
    else this.pick(name);
  }

  drop(origin, target) {
    if (this.mode === "play") {
      const link = target && this.moves.get(origin + target);
      if (link) this.go(link.href, target);
      else if (target !== origin) this.say(target && this.tools ? `${origin}${target} is not legal: choose “Move freely” to set up pieces` : "That is not a legal move");
      return;
    }
    if (target === origin) return;
    const pieces = new Map(this.pieces);
    const symbol = pieces.get(origin);
    pieces.delete(origin);
    if (target) pieces.set(target, symbol);
    this.go(this.address(pieces), target ?? origin);
  }

  put(name, symbol) {
    if (!this.tools || (this.pieces.get(name) ?? null) === symbol) return;
    const pieces = new Map(this.pieces);
    if (symbol) pieces.set(name, symbol);
    else pieces.delete(name);
    this.go(this.address(pieces), name);
  }

  go(url, name) {
    const focused = this.squares.contains(document.activeElement);
    load(url, { shown: () => shown(focused ? name : null) });
  }

  address(pieces) {
    const { width, height, side, squares } = this.board;
    const rows = Array.from({ length: height }, () => Array(width).fill(null));
    for (const { name, cell: [file, rank] } of squares) rows[height - 1 - rank][file] = pieces.get(name) ?? null;
    const text = rows.map((row) => {
      let written = "", empty = 0;
      for (const symbol of row) {
        if (symbol) { written += (empty || "") + symbol; empty = 0; } else empty += 1;
      }
      return written + (empty || "");
    });
    return `${this.root.dataset.address}${text.map(encodeURIComponent).join("/")}_${side}`;
  }

  pieceAddress(symbol) {
    const theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    return `${this.root.dataset.pieces}${encodeURIComponent(symbol)}.svg?theme=${theme}`;
  }

  say(sentence) {
    this.hint.textContent = sentence;
  }

  // Keys and pointers

  rove(button) {
    for (const other of this.buttons.values()) other.tabIndex = other === button ? 0 : -1;
  }

  key(event, square) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const name = square.name;
    if (ARROWS[event.key]) this.focusNext(square, ...ARROWS[event.key]);
    else if (event.key === "Escape") { if (this.tools) this.choose(null); else this.release(); }
    else if (event.key === "Delete" || event.key === "Backspace") this.put(name, null);
    else if (this.tools && event.key in this.board.kinds) this.put(name, event.key);
    else return;
    event.preventDefault();
  }

  focusNext({ cell: [file, rank] }, right, up) {
    const ahead = ({ cell: [otherFile, otherRank] }) =>
      right ? (otherRank === rank ? (otherFile - file) * right : 0) : (otherRank - rank) * up;
    const aside = ({ cell }) => (right ? 0 : Math.abs(cell[0] - file));
    const [next] = this.board.squares.filter((other) => ahead(other) > 0)
      .sort((one, other) => ahead(one) - ahead(other) || aside(one) - aside(other));
    if (next) this.buttons.get(next.name).focus();
  }

  showWhenPointedAt(move, link) {
    const show = () => this.picture.show({ position: this.line?.position, arrows: move });
    const hide = () => (this.line ? this.line.draw() : this.picture.restore());
    link.addEventListener("pointerenter", show);
    link.addEventListener("focus", show);
    link.addEventListener("pointerleave", hide);
    link.addEventListener("blur", hide);
  }
}

/** Take a page into use; `name` is the square that keeps the focus. */
function shown(name = null, heard = true, goOn = true) {
  const root = document.getElementById("position");
  page = root?.dataset.board ? new Page(root) : null;
  const next = document.getElementById("next");
  if (next && goOn) setTimeout(() => next.isConnected && follow(next.href), PAUSE);
  const verdict = document.getElementById("verdict");
  if (name) page?.buttons.get(name)?.focus();
  if (heard && verdict) announce(verdict.textContent);
}

/** Show the page of a link; one that steps through a game keeps the focus. */
function follow(url, step = null) {
  load(url, {
    shown: () => {
      const again = step && document.querySelector(`a[data-step="${step}"]`);
      shown(null, Boolean(again));
      // The heading is read by screen readers when it gets the focus.
      (again || document.getElementById("verdict"))?.focus({ preventScroll: true });
    },
  });
}

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("main a.soft");
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  follow(link.href, link.dataset.step);
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest?.("input, textarea, select")) return;
  if (event.key !== "," && event.key !== ".") return;
  if (page?.line) page.line.step(event.key === "," ? -1 : 1);
  else document.querySelector(`a[data-step="${event.key === "," ? "back" : "forth"}"]`)?.click();
});

onReturn(() => load(location.href, { keep: false, shown: () => shown(null, true, false) }));
shown(null, false);
