// The box of the start page: what is pasted, typed or dropped is answered as it comes, by a worker of this page.
import { show, showFailure, showWaiting } from "./answer.js";

const form = document.querySelector(".gg-paste form");
if (form) start(form);

function start(form) {
  const { text, target, file } = form.elements;
  const answer = document.querySelector(".gg-answer");
  const shown = { dropped: null, asked: 0, timer: null, worker: null };

  // The index is loaded when somebody is about to ask, and not for those who read.
  function worker() {
    if (!shown.worker) {
      shown.worker = new Worker(new URL("search/worker.js", import.meta.url), { type: "module" });
      shown.worker.addEventListener("message", ({ data }) => data.id === shown.asked && told(data));
      shown.worker.addEventListener("error", () => told({ failed: "the worker could not be started" }));
    }
    return shown.worker;
  }

  function told(data) {
    form.removeAttribute("aria-busy");
    if (data.failed) showFailure(answer, data.failed);
    else show(answer, data, shown.dropped?.name);
  }

  function ask() {
    shown.asked += 1;
    if (!shown.dropped && !text.value.trim()) {
      answer.replaceChildren();
      return;
    }
    form.setAttribute("aria-busy", "true");
    if (!answer.hasChildNodes()) showWaiting(answer);
    const asked = shown.dropped ? { file: shown.dropped } : { text: text.value };
    worker().postMessage({ id: shown.asked, target: target.value || null, ...asked });
  }

  function soon() {
    shown.dropped = null;
    clearTimeout(shown.timer);
    shown.timer = setTimeout(ask, 120);
  }

  function take(chosen) {
    if (!chosen) return;
    shown.dropped = chosen;
    text.value = "";
    ask();
  }

  text.addEventListener("focus", worker, { once: true });
  text.addEventListener("input", soon);
  target.addEventListener("change", ask);
  file.addEventListener("change", () => take(file.files[0]));
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => {
    shown.dropped = null;
    setTimeout(() => {
      ask();
      text.focus();
    });
  });
  for (const name of ["dragover", "dragleave", "drop"]) {
    form.addEventListener(name, (event) => {
      event.preventDefault();
      form.classList.toggle("gg-over", name === "dragover");
      if (name === "drop") drop(event.dataTransfer);
    });
  }

  function drop(dropped) {
    if (dropped.files.length) return take(dropped.files[0]);
    text.value = dropped.getData("text/plain");
    soon();
  }

  form.hidden = false;
  if (location.hash === "#paste") text.focus();
  addEventListener("hashchange", () => location.hash === "#paste" && text.focus());
  if (text.value) soon(); // what the browser kept when the page was left
}
