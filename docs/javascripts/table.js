// Filters and sorts the table of all gotchas. What is chosen stands in the address, so it can be sent to somebody.
const form = document.querySelector(".gg-filters");
const table = document.querySelector(".gg-all");
if (form && table) start(form, table);

function start(form, table) {
  const body = table.tBodies[0];
  const rows = [...body.rows].map((row, place) => ({
    row,
    place,
    text: [row.textContent, row.dataset.words, row.querySelector("a").getAttribute("href")].join(" ").toLowerCase(),
  }));
  const heads = [...table.tHead.rows[0].cells].map((cell, column) => sortable(cell, column));
  let sorted = { column: -1, down: false };

  function sortable(cell, column) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = cell.textContent;
    cell.replaceChildren(button);
    button.addEventListener("click", () => {
      sorted = { column, down: sorted.column === column && !sorted.down };
      apply();
      remember();
    });
    return cell;
  }

  function apply() {
    const wanted = [...new FormData(form)].filter(([, value]) => value);
    let shown = 0;
    for (const one of rows) {
      const fits = wanted.every(([name, value]) => holds(one, name, value));
      one.row.hidden = !fits;
      shown += fits;
    }
    form.querySelector("output").textContent =
      shown === rows.length ? `${rows.length} shown` : `${shown} of ${rows.length} shown`;
    const order = sorted.column < 0 ? rows : [...rows].sort(compare);
    body.append(...order.map((one) => one.row));
    heads.forEach((cell, column) => {
      if (column === sorted.column) cell.setAttribute("aria-sort", sorted.down ? "descending" : "ascending");
      else cell.removeAttribute("aria-sort");
    });
  }

  function holds(one, name, value) {
    if (name === "text") return value.toLowerCase().split(/\s+/).every((word) => one.text.includes(word));
    const held = (one.row.dataset[name] || "").split(" ");
    return held.includes(value) || held.includes("*");
  }

  function compare(one, other) {
    const [a, b] = [one, other].map(({ row }) => row.cells[sorted.column]).map((cell) => cell.dataset.sort ?? cell.textContent);
    const difference = a.localeCompare(b, "en", { numeric: true }) || one.place - other.place;
    return sorted.down ? -difference : difference;
  }

  function remember() {
    const said = new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
    if (sorted.column >= 0) said.set("sort", `${sorted.down ? "-" : ""}${sorted.column}`);
    history.replaceState(null, "", `${location.pathname}${String(said) && `?${said}`}${location.hash}`);
  }

  function recall() {
    const said = new URLSearchParams(location.search);
    for (const control of form.elements) {
      if (control.name) control.value = said.get(control.name) || "";
      // A value that is none of the choices leaves a list without one.
      if (control.name && control.value === "" && control.options) control.selectedIndex = 0;
    }
    const column = said.get("sort");
    if (/^-?\d$/.test(column ?? "") && Math.abs(Number(column)) < heads.length) {
      sorted = { column: Math.abs(Number(column)), down: column.startsWith("-") };
    }
    apply();
  }

  form.addEventListener("input", () => {
    apply();
    remember();
  });
  form.addEventListener("reset", () => {
    sorted = { column: -1, down: false };
    setTimeout(() => {
      apply();
      remember();
    });
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  recall();
}
