// What is shown to whoever is logged in nowhere.

import { html, Problem, useOrder, useState } from './ui.js';
import { logIn, state } from './live.js';

/** @param {{logo: any}} props */
export function LogIn({ logo }) {
  const [code, type] = useState('');
  const [busy, error, give] = useOrder();
  return html`<main class="login">
    <h1><${logo} /> callboard</h1>
    ${state.why && html`<p class="problem" role="status">${state.why}</p>`}
    <p>To log in, type on the hub's machine</p>
    <pre><code>callboard open</code></pre>
    <p class="muted">
    It opens this page with a code that is good once, for a minute. From another machine, paste what <code>
      callboard open --print</code> prints:</p>
    <form onSubmit=${(/** @type {Event} */ event) => {
      event.preventDefault();
      give(() => logIn(code));
    }}>
      <label>
      Address or code <input type="text" autocomplete="off" value=${code}
        onInput=${(/** @type {any} */ event) => type(event.target.value)} /></label>
      <button class="primary" disabled=${busy || !code.trim()}>Log in</button>
    </form>
    <${Problem} error=${error} />
  </main>`;
}
