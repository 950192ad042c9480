// The colours that were chosen before, set before anything is painted.
(() => {
  const chosen = __md_get("__palette");
  if (!chosen || !chosen.color) return;
  for (const [name, value] of Object.entries(chosen.color)) {
    document.body.setAttribute(`data-md-color-${name}`, value);
  }
})();
