// What a page has where scripts run: colours of one's own choice, buttons that copy, and "On this page".
(() => {
  const root = document.documentElement;
  const kept = {
    get() {
      try {
        return localStorage.getItem("colours");
      } catch {
        return null; // storage is switched off
      }
    },
    set(colours) {
      try {
        localStorage.setItem("colours", colours);
      } catch {
        // the choice holds for this page
      }
    },
  };
  const system = matchMedia("(prefers-color-scheme: dark)");
  const paint = () => root.setAttribute("data-md-color-scheme", kept.get() || (system.matches ? "slate" : "default"));
  paint(); // before anything is seen
  system.addEventListener("change", paint);

  document.addEventListener("DOMContentLoaded", () => {
    const main = document.querySelector("main");
    document.querySelector("header").append(button("gg-colours", "Light or dark", switchColours));
    // Code has a language; what a failure prints has none, and nobody copies it from here.
    for (const code of main.querySelectorAll("pre > code[class]")) code.before(copier(code));
    for (const code of main.querySelectorAll("#what-to-do-now + ul code")) {
      // What can be typed as it stands: a flag, a variable with its value, a command.
      if (/^-|[= ]/.test(code.textContent)) code.after(copier(code));
    }
    unfold();
    addEventListener("hashchange", unfold);
    const heads = [...main.querySelectorAll(":scope > h2[id]")];
    if (heads.length > 1 && !main.classList.contains("gg-wide")) main.after(contents(heads));
  });

  // Where a link leads to something folded, it opens.
  function unfold() {
    const place = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (place?.tagName === "DETAILS") place.open = true;
  }

  function switchColours() {
    const chosen = root.getAttribute("data-md-color-scheme") === "slate" ? "default" : "slate";
    root.setAttribute("data-md-color-scheme", chosen);
    kept.set(chosen);
  }

  function button(name, label, pressed) {
    const made = document.createElement("button");
    made.type = "button";
    made.className = name;
    made.setAttribute("aria-label", label);
    made.title = label;
    made.addEventListener("click", pressed);
    return made;
  }

  function copier(code) {
    const made = button("gg-copy", "Copy", async () => {
      made.textContent = (await copied(code)) ? "Copied" : "Selected";
      setTimeout(() => (made.textContent = "Copy"), 2000);
    });
    made.removeAttribute("aria-label");
    made.removeAttribute("title");
    made.textContent = "Copy";
    made.setAttribute("aria-live", "polite");
    return made;
  }

  // Where the page was not had by https there is no clipboard: then it is selected, and copied if that is allowed.
  async function copied(code) {
    try {
      await navigator.clipboard.writeText(code.textContent.replace(/\n$/, ""));
      return true;
    } catch {
      getSelection().selectAllChildren(code);
      return document.execCommand("copy");
    }
  }

  function contents(heads) {
    const made = document.createElement("nav");
    made.className = "gg-contents";
    made.setAttribute("aria-label", "On this page");
    made.append(...heads.map((head) => {
      const link = document.createElement("a");
      link.href = `#${head.id}`;
      link.textContent = head.textContent;
      return link;
    }));
    return made;
  }
})();
