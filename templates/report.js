"use strict";
// Filters and unfolds; the page is whole without it. The filter lives in the address as `#filter=TEXT&set=SET`, a case
// as `#case=ID`. What is shown never passes through HTML: texts are only read and compared.
(() => {
  const holder = document.getElementById("cases");
  const cases = Array.from(holder.querySelectorAll(".case"));
  if (cases.length === 0) return;

  const element = (name, properties, ...children) => {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  };
  const text = element("input", { type: "search", autocomplete: "off", spellcheck: false });
  const set = element("select", {}, element("option", { value: "" }, "all sets"));
  for (const name of new Set(cases.map((one) => one.dataset.set).sort())) {
    set.append(element("option", { value: name }, name));
  }
  const fold = element("button", { type: "button" }, "Fold all");
  const unfold = element("button", { type: "button" }, "Unfold all");
  const shown = element("output", {});
  const form = element(
    "form",
    { className: "filter" },
    element("label", {}, "Find in the cases", text),
    element("label", {}, "Set", set),
    fold,
    unfold,
    shown,
  );
  form.setAttribute("role", "search");
  holder.before(form);

  // The text of a case is collected once, when it is first asked for.
  const words = new Map();
  const wordsOf = (one) => {
    if (!words.has(one)) words.set(one, `${one.id} ${one.textContent}`.toLowerCase());
    return words.get(one);
  };

  const apply = () => {
    const wanted = text.value.trim().toLowerCase();
    let count = 0;
    for (const one of cases) {
      const fits = (!set.value || one.dataset.set === set.value) && (!wanted || wordsOf(one).includes(wanted));
      one.hidden = !fits;
      count += fits ? 1 : 0;
    }
    for (const section of holder.querySelectorAll("section")) {
      const own = Array.from(section.querySelectorAll(".case"));
      section.hidden = own.length > 0 && own.every((one) => one.hidden);
    }
    shown.value = wanted || set.value ? `${count} of ${cases.length} shown` : "";
  };

  const keep = () => {
    const fields = new URLSearchParams();
    if (text.value) fields.set("filter", text.value);
    if (set.value) fields.set("set", set.value);
    history.replaceState(null, "", `#${fields}`);
    apply();
  };

  const follow = () => {
    const fragment = location.hash.slice(1);
    if (fragment.startsWith("case=")) {
      text.value = "";
      set.value = "";
      apply();
      let id = fragment;
      try {
        id = decodeURIComponent(fragment);
      } catch {
        // A fragment that cannot be decoded is looked up as it stands.
      }
      const found = document.getElementById(id);
      if (!found) return;
      for (let at = found; at; at = at.parentElement) if (at.localName === "details") at.open = true;
      found.scrollIntoView();
    } else if (fragment.startsWith("filter=") || fragment.startsWith("set=")) {
      const fields = new URLSearchParams(fragment);
      text.value = fields.get("filter") ?? "";
      set.value = fields.get("set") ?? "";
      apply();
    }
  };

  const open = (state) => {
    for (const one of cases) if (one.localName === "details" && !one.hidden) one.open = state;
  };
  form.addEventListener("submit", (event) => event.preventDefault());
  text.addEventListener("input", keep);
  set.addEventListener("change", keep);
  fold.addEventListener("click", () => open(false));
  unfold.addEventListener("click", () => open(true));
  window.addEventListener("hashchange", follow);
  follow();
})();
