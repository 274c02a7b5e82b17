// Look a position up in a tablebase without the tablebase package, by its catalog and its files alone.
//
//     npm install && node read_table.mjs DATA GAME "POSITION" …
//
// Prints one JSON object a line. The position may have any material that has been built, aliases included.
// docs/file-format.md explains every step.

import fs from "node:fs";
import path from "node:path";
import * as h5 from "h5wasm/node";
import { install_local_plugins } from "h5wasm-plugins";
import initSqlJs from "sql.js";

// Squares and letters of the pieces, and the letter of the side to move.
function parse(text) {
  const [rows, side] = text.trim().split(/\s+/);
  const pieces = [];
  rows.split("/").reverse().forEach((row, rank) => {
    let file = 0;
    for (const token of row.match(/\d+|\D/g)) {
      if (/\d/.test(token)) file += Number(token);
      else pieces.push({ letter: token, square: String.fromCharCode(97 + file++) + (rank + 1) });
    }
  });
  return { pieces, side };
}

// Number of ways to choose `count` of the first places with levels that add up to `total`.
function ways(levels, places, count, total, known = new Map()) {
  if (count === 0 || places === 0) return count === 0 && total === 0 ? 1 : 0;
  const key = `${places},${count},${total}`;
  if (!known.has(key)) {
    const level = levels[places - 1];
    known.set(key, ways(levels, places - 1, count, total, known) + ways(levels, places - 1, count - 1, total - level, known));
  }
  return known.get(key);
}

const levelsOf = (group) => group.levels ?? group.squares.map(() => 0);
const size = (group) => ways(levelsOf(group), group.squares.length, group.pieces, group.advance ?? 0);

// Number of a group's placement.
function rank(group, squares) {
  const levels = levelsOf(group);
  const places = squares.map((square) => group.squares.indexOf(square)).sort((a, b) => a - b);
  let left = group.advance ?? 0;
  let number = 0;
  for (let count = places.length; count > 0; count--) {
    const place = places[count - 1];
    number += ways(levels, place, count, left);
    left -= levels[place];
  }
  return number;
}

// All choices of `count` of some squares.
function* choices(squares, count) {
  if (count === 0) yield [];
  else
    for (let first = 0; first <= squares.length - count; first++)
      for (const rest of choices(squares.slice(first + 1), count - 1)) yield [squares[first], ...rest];
}

// Index of a position given by the squares of each group's pieces.
function indexOf(layout, squares) {
  const [lead, ...others] = layout.groups;
  let index = rank(lead, squares[0]);
  const mirror = layout.mirror;
  if (mirror) {
    const numbered = [];
    for (const one of choices(lead.squares, lead.pieces)) {
      const [number, image] = [rank(lead, one), rank(lead, one.map((square) => mirror[square]))];
      if (number <= image) numbered.push(number);
      if (number === index && image < number) squares = squares.map((some) => some.map((square) => mirror[square]));
    }
    index = numbered.sort((a, b) => a - b).indexOf(rank(lead, squares[0]));
  }
  others.forEach((group, i) => (index = index * size(group) + rank(group, squares[i + 1])));
  return index;
}

function meaning(code, stride) {
  if (code < 2) return { outcome: "draw", distance: null };
  const lost = (code - 2) % 2 === stride - 1;
  return { outcome: lost ? "loss" : "win", distance: Math.floor((code - 2) / stride) };
}

class Tablebase {
  constructor(folder, database) {
    this.folder = folder;
    this.database = database;
  }

  rows(query, ...values) {
    const statement = this.database.prepare(query, values);
    const rows = [];
    while (statement.step()) rows.push(statement.getAsObject());
    statement.free();
    return rows;
  }

  layout(file) {
    const opened = new h5.File(path.join(this.folder, file), "r");
    const layout = JSON.parse(opened.attrs.layout.value);
    opened.close();
    return layout;
  }

  // The slice of a position under its own name. Tiers of one material are told apart by the levels of its squares.
  slice(game, names, side, pieces) {
    const material = names.map((some) => some.join("")).join("v");
    const query = `SELECT slices.material, slices.side, pairing, tables.file, tables.material AS stored_as, solutions.side AS stored_side
      FROM slices JOIN solutions ON solutions.id = solution_id JOIN tables ON tables.id = table_id
      WHERE slices.game = ? AND slices.side = ? AND (slices.material = ? OR slices.material LIKE ?)`;
    const found = this.rows(query, game, side, material, `${material}@%`);
    if (found.length === 0) throw new Error(`the catalog has no slice ${material} with ${side} to move`);
    if (!found[0].material.includes("@")) return found[0];
    const tiered = this.layout(found[0].file).groups.filter((group) => group.levels);
    const advance = tiered.map((group) =>
      pieces
        .filter((piece) => piece.letter === group.symbol)
        .reduce((sum, piece) => sum + group.levels[group.squares.indexOf(piece.square)], 0),
    );
    const tier = found.find((one) => one.material === `${material}@${advance.join(",")}`);
    if (!tier) throw new Error(`the catalog has no slice ${material}@${advance.join(",")}`);
    return tier;
  }

  probe(game, text) {
    let { pieces, side } = parse(text);
    const [rules] = this.rows("SELECT side_letters, kinds FROM games WHERE name = ?", game);
    if (!rules) throw new Error(`the catalog has no game ${game}`);
    const [sides, kinds] = [rules.side_letters, rules.kinds.split(" ")];
    const anyFile = this.rows("SELECT file FROM tables WHERE game = ?", game)[0].file;
    const swap = this.layout(anyFile).swap;
    const exchange = () => {
      const other = (letter) => (letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase());
      pieces = pieces.map(({ letter, square }) => ({ letter: other(letter), square: swap[square] }));
      side = sides[1 - sides.indexOf(side)];
    };
    // With colour swap, slices are listed with side 0 to move.
    if (swap && side === sides[1]) exchange();
    // Pieces in the order of the material: by kind, like pieces by square.
    const order = kinds.join("");
    const ordered = () => [...pieces].sort((a, b) => order.indexOf(a.letter) - order.indexOf(b.letter));
    const names = kinds.map((letters) =>
      ordered().filter((piece) => letters.includes(piece.letter)).map((piece) => piece.letter.toUpperCase()),
    );
    const slice = this.slice(game, names, side, pieces);
    // Piece i of the stored material is played by our piece pairing[i], before colours are exchanged.
    const paired = slice.pairing.split(" ").map((number) => ordered()[Number(number) - 1].square);
    const swapped = slice.stored_side !== side;
    const stored = swapped ? paired.map((square) => swap[square]) : paired;
    const file = new h5.File(path.join(this.folder, slice.file), "r");
    const layout = JSON.parse(file.attrs.layout.value);
    // Pieces of the stored material, by kind; each group takes the squares of its own.
    const halves = slice.stored_as.split("@")[0].split("v");
    const letters = halves.flatMap((half, i) => [...half].map((letter) => [...kinds[i]].find((k) => k.toUpperCase() === letter)));
    const squares = layout.groups.map((group) => stored.filter((_, i) => letters[i] === group.symbol));
    const index = indexOf(layout, squares);
    const code = file.get(slice.stored_side).slice([[index, index + 1]])[0];
    const answer = meaning(Number(code), Number(file.attrs.stride.value));
    file.close();
    return { position: text, file: slice.file, side: slice.stored_side, index, ...answer };
  }
}

const [folder, game, ...positions] = process.argv.slice(2);
// HDF5 itself does not know Zstandard.
install_local_plugins(await h5.ready);
const SQL = await initSqlJs();
const tables = new Tablebase(folder, new SQL.Database(fs.readFileSync(path.join(folder, "catalog.sqlite"))));
for (const position of positions) console.log(JSON.stringify(tables.probe(game, position)));
