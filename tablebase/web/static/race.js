// Hare & Hedgehog on one page: forms are sent without a reload, and computers move by themselves.

import { announce, load, onReturn } from "./navigation.js";

const PAUSE = 700; // milliseconds, so that people see what has happened

function shown(heard = true) {
  if (heard) announce(document.getElementById("said")?.textContent.trim().replace(/\s+/g, " ") ?? "");
  const form = document.getElementById("computer");
  if (form) setTimeout(() => form.isConnected && form.requestSubmit(), PAUSE);
}

document.addEventListener("submit", (event) => {
  const form = event.target.closest("#race form");
  if (!form) return;
  event.preventDefault();
  const fields = new FormData(form, event.submitter);
  for (const button of form.querySelectorAll("button")) button.disabled = true;
  load(form.action, { form: fields, shown });
});

onReturn(() => location.reload());
shown(false);
