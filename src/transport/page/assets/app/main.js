// What needs you, as a list: logs in with the one-time code, and reads the inbox again every two seconds.

const KEPT = "callboard.token";
const app = /** @type {HTMLElement} */ (document.getElementById("app"));

/** @param {string} path @param {RequestInit} [init] */
async function ask(path, init = {}) {
  const token = sessionStorage.getItem(KEPT);
  const headers = { "content-type": "application/json", "callboard-surface": "page" };
  const known = token ? { ...headers, authorization: `Bearer ${token}` } : headers;
  const response = await fetch(path, { ...init, headers: known });
  const body = response.status === 204 ? {} : await response.json();
  if (response.ok) return body;
  if (response.status === 401) sessionStorage.removeItem(KEPT);
  throw new Error(body.error);
}

/** @param {string} heading @param {string[]} lines @param {string} [id] */
function show(heading, lines, id = "inbox") {
  const title = document.createElement("h1");
  title.textContent = heading;
  const list = document.createElement("ul");
  list.dataset.testid = id;
  for (const line of lines) {
    const item = document.createElement("li");
    item.textContent = line;
    list.append(item);
  }
  app.replaceChildren(title, list);
}

async function main() {
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  if (code) {
    history.replaceState(null, "", "/");
    const opened = await ask("/api/v1/login", { method: "POST", body: JSON.stringify({ code }) });
    sessionStorage.setItem(KEPT, opened.token);
  }
  while (sessionStorage.getItem(KEPT)) {
    const { items, total } = await ask("/api/v1/inbox");
    show(`Needs you: ${total}`, items.map((item) => `${item.title}: ${item.reason}`));
    await new Promise((done) => setTimeout(done, 2000));
  }
  throw new Error("You are not logged in.");
}

main().catch((error) => show("Log in", [error.message, "Run: callboard open"], "login"));
