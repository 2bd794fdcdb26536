"use strict";
// Filters, sorts and unfolds; the page is whole without it. What is chosen lives in the address as
// `#filter=TEXT&set=SET&status=STATUS&sort=ORDER`, a case as `#case=ID`, and a place that was gone to under a filter as
// `&to=PLACE` behind it. What is shown never passes through HTML: texts are only read and compared.
(() => {
  const holder = document.getElementById("cases");
  const cases = Array.from(holder.querySelectorAll(".case"));
  if (cases.length === 0) return;
  cases.forEach((one, place) => (one.place = place));
  const idOf = (one) => one.id.slice("case=".length);
  const statusOf = (one) => one.classList.item(one.classList.length - 1);
  const unique = (values) => Array.from(new Set(values)).sort();

  const element = (name, properties, ...children) => {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  };
  const choice = (first, values) =>
    element(
      "select",
      {},
      element("option", { value: "" }, first),
      ...values.map(([value, words]) => element("option", { value }, words)),
    );
  const same = (value) => [value, value];
  const text = element("input", { type: "search", autocomplete: "off", spellcheck: false });
  const set = choice("all sets", unique(cases.map((one) => one.dataset.set)).map(same));
  const status = choice("all results", unique(cases.map(statusOf)).map(same));
  const sort = choice("as judged", [
    ["id", "by name"],
    ["set", "by set"],
    ["slow", "longest first"],
  ]);
  const fold = element("button", { type: "button" }, "Fold all");
  const unfold = element("button", { type: "button" }, "Unfold all");
  const shown = element("output", {});
  const label = (words, control) => element("label", {}, words, control);
  const form = element(
    "form",
    { className: "filter" },
    Object.assign(label("Find in the cases", text), { className: "find" }),
    label("Set", set),
    label("Result", status),
    label("Order", sort),
    element("div", { className: "buttons" }, fold, unfold),
    shown,
  );
  form.setAttribute("role", "search");
  form.setAttribute("aria-label", "Cases");
  document.getElementById("filter-place").append(form);
  const controls = { filter: text, set, status, sort };

  // The text of a case is collected once, when it is first asked for.
  const words = new Map();
  const wordsOf = (one) => {
    if (!words.has(one)) words.set(one, `${idOf(one)} ${one.textContent}`.toLowerCase());
    return words.get(one);
  };

  const orders = {
    "": (a, b) => a.place - b.place,
    id: (a, b) => (idOf(a) < idOf(b) ? -1 : 1),
    set: (a, b) => (a.dataset.set === b.dataset.set ? a.place - b.place : a.dataset.set < b.dataset.set ? -1 : 1),
    slow: (a, b) => b.dataset.ms - a.dataset.ms || a.place - b.place,
  };
  let sorted = "";
  // Groups keep their order, worst first; cases are sorted within each.
  const order = () => {
    if (sort.value === sorted) return;
    sorted = sort.value;
    for (const section of holder.querySelectorAll("section")) {
      const own = Array.from(section.querySelectorAll(".case"));
      // What is folded stays in its fold.
      for (const parent of new Set(own.map((one) => one.parentElement))) {
        const inside = own.filter((one) => one.parentElement === parent);
        const place = document.createComment("");
        inside[0].before(place);
        place.replaceWith(...inside.sort(orders[sorted]));
      }
    }
  };

  const apply = () => {
    const wanted = text.value.trim().toLowerCase();
    const filtered = Boolean(wanted || set.value || status.value);
    let count = 0;
    for (const one of cases) {
      const fits =
        (!set.value || one.dataset.set === set.value) &&
        (!status.value || statusOf(one) === status.value) &&
        (!wanted || wordsOf(one).includes(wanted));
      one.hidden = !fits;
      count += fits ? 1 : 0;
    }
    for (const section of holder.querySelectorAll("section")) {
      const own = Array.from(section.querySelectorAll(".case"));
      section.hidden = own.length > 0 && own.every((one) => one.hidden);
      // What was asked for is not left in a fold.
      if (filtered) for (const one of section.querySelectorAll(".group-fold")) one.open = true;
    }
    order();
    shown.value = filtered ? `${count} of ${cases.length} shown` : "";
  };

  const chosen = () => {
    const fields = new URLSearchParams();
    for (const [name, control] of Object.entries(controls)) if (control.value) fields.set(name, control.value);
    return fields;
  };
  const keep = () => {
    history.replaceState(null, "", `#${chosen()}`);
    apply();
  };
  const choose = (fields) => {
    for (const [name, control] of Object.entries(controls)) {
      control.value = fields.get(name) ?? "";
      // A value that is no choice leaves nothing chosen, and would hide everything.
      if (control.value === "" && control !== text) control.selectedIndex = 0;
    }
    apply();
  };

  const elementOf = (fragment) => {
    let id = fragment;
    try {
      id = decodeURIComponent(fragment);
    } catch {
      // A fragment that cannot be decoded is looked up as it stands.
    }
    return document.getElementById(id);
  };

  // What was gone to is shown whatever the filter says, a section with all of its cases.
  const reveal = (found) => {
    for (let at = found; at; at = at.parentElement) {
      at.hidden = false;
      if (at.localName === "details") at.open = true;
    }
    if (found.localName === "section") for (const one of found.querySelectorAll(".case")) one.hidden = false;
    found.scrollIntoView();
    const own = found.localName === "section" ? null : found.querySelector("summary");
    const focus = own ?? found;
    if (focus === found) found.tabIndex = -1;
    // While the page loads the browser itself still goes to the fragment, and takes the focus with it.
    const settle = () => focus.focus({ preventScroll: true });
    if (document.readyState === "complete") settle();
    else window.addEventListener("load", settle, { once: true });
  };

  // A case wins over the filter, wherever it stands in the address: whoever sent it meant that case.
  const follow = () => {
    const fragment = location.hash.slice(1);
    const fields = fragment.split("&");
    const one = fields.find((field) => field.startsWith("case="));
    const isChoice = (field) => ["to", ...Object.keys(controls)].some((name) => field.startsWith(`${name}=`));
    if (one !== undefined) {
      choose(new URLSearchParams(fields.filter(isChoice).join("&")));
      const found = elementOf(fragment) ?? elementOf(one);
      if (found) reveal(found);
      else shown.value = "That case is not on this page; see report.json.";
    } else if (fields.some(isChoice)) {
      const choices = new URLSearchParams(fragment);
      choose(choices);
      const found = document.getElementById(choices.get("to") ?? "");
      if (found) reveal(found);
    } else if (fragment !== "") {
      // A link within the page: what is chosen stays, in the address too.
      const kept = chosen();
      const found = elementOf(fragment);
      if (!found || kept.size === 0) return;
      kept.set("to", found.id);
      history.replaceState(null, "", `#${kept}`);
      apply();
      reveal(found);
    }
  };

  const open = (state) => {
    for (const one of cases) if (one.localName === "details" && !one.hidden) one.open = state;
  };
  form.addEventListener("submit", (event) => event.preventDefault());
  text.addEventListener("input", keep);
  for (const control of [set, status, sort]) control.addEventListener("change", keep);
  fold.addEventListener("click", () => open(false));
  unfold.addEventListener("click", () => open(true));
  window.addEventListener("hashchange", follow);
  follow();
})();
