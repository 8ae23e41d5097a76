"use strict";
// Sorts and filters the table of competitions. Without scripts the page shows everything, in the order it was written.
(() => {
  const table = document.getElementById("runs");
  if (!table) return;
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const tools = document.getElementById("tools");
  const [text, complexity, outcome, order, turn] = ["text", "complexity", "outcome", "order", "turn"].map(
    (name) => document.getElementById(`tool-${name}`));
  const shown = document.getElementById("tool-shown");
  const headers = [...table.querySelectorAll("thead th[data-sort]")];
  let descending = false;

  const key = (row, name) => row.dataset[name] ?? "";
  const compare = (name) => (a, b) => {
    const [x, y] = [key(a, name), key(b, name)];
    const both = x !== "" && y !== "" && !isNaN(x) && !isNaN(y);
    if (x === "" || y === "") return (x === "") - (y === "");
    const difference = both ? x - y : x.localeCompare(y);
    return descending ? -difference : difference;
  };

  function sort() {
    const name = order.value;
    rows.sort((a, b) => compare(name)(a, b) || key(a, "name").localeCompare(key(b, "name")));
    body.append(...rows);
    for (const header of headers) {
      const state = header.dataset.sort !== name ? "none" : descending ? "descending" : "ascending";
      header.setAttribute("aria-sort", state);
    }
    turn.textContent = descending ? "↓ descending" : "↑ ascending";
  }

  function filter() {
    const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const row of rows) {
      const keep = words.every((word) => row.dataset.text.includes(word))
        && (!complexity.value || row.dataset.complexity === complexity.value)
        && (!outcome.value || row.dataset.outcomes.split(" ").includes(outcome.value));
      row.hidden = !keep;
      count += keep;
    }
    shown.textContent = count === rows.length ? `${rows.length} competitions` : `${count} of ${rows.length} competitions`;
  }

  function sortBy(name, first) {
    descending = order.value === name ? !descending : first;
    order.value = name;
    sort();
  }

  for (const header of headers) {
    header.querySelector("button").addEventListener("click", () => sortBy(header.dataset.sort, header.dataset.first === "high"));
  }
  order.addEventListener("change", () => { descending = order.selectedOptions[0].dataset.first === "high"; sort(); });
  turn.addEventListener("click", () => { descending = !descending; sort(); });
  for (const tool of [text, complexity, outcome]) tool.addEventListener("input", filter);
  tools.hidden = false;
  filter();
})();
