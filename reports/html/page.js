"use strict";
(() => {
  const form = document.querySelector("form.filters");
  const found = document.querySelector(".found");
  const claims = [...document.querySelectorAll("article.claim")];
  const wanted = name => new Set([...form.querySelectorAll(`input[name="${name}"]:checked`)].map(i => i.value));
  const fits = (set, value) => set.size === 0 || set.has(value);

  function apply() {
    const paper = wanted("paper"), verdict = wanted("verdict"), evidence = wanted("evidence"),
          kind = wanted("kind"), words = form.elements.text.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0, statements = 0;
    for (const claim of claims) {
      let visible = 0;
      const title = claim.querySelector("header").textContent.toLowerCase();
      for (const s of claim.querySelectorAll(".statement")) {
        const text = title + " " + s.textContent.toLowerCase();
        const fit = fits(paper, claim.dataset.paper) && fits(verdict, s.dataset.verdict) &&
          fits(evidence, s.dataset.evidence) && fits(kind, s.dataset.kind) && words.every(w => text.includes(w));
        s.hidden = !fit;
        visible += fit;
      }
      claim.hidden = visible === 0;
      shown += visible > 0;
      statements += visible;
    }
    found.textContent = `${statements} statements in ${shown} claims`;
  }

  form.addEventListener("input", apply);
  form.addEventListener("reset", () => setTimeout(apply));
  form.addEventListener("submit", e => e.preventDefault());

  /* a link to a claim shows it, whatever the filters say */
  function arrive() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target === null) return;
    if (target.closest("[hidden]") !== null) { form.reset(); apply(); }
    for (let d = target.closest("details"); d !== null; d = d.parentElement.closest("details")) d.open = true;
    target.scrollIntoView();
  }
  addEventListener("hashchange", arrive);

  const theme = document.querySelector("button.theme");
  theme.addEventListener("click", () => {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    theme.setAttribute("aria-pressed", String(!dark));
  });

  for (const e of document.querySelectorAll("[data-script]")) e.hidden = false;
  apply();
  arrive();
})();
