// Sends webhooks that libraries of others sign, and prints one line of JSON for each: what it was and what the hub
// answered. Two by Standard Webhooks, one of them changed after it was signed; then every example of a payload that
// GitHub's own libraries ship, signed by theirs.
import examples from "@octokit/webhooks-examples" with { type: "json" };
import { sign } from "@octokit/webhooks-methods";
import { Webhook } from "standardwebhooks";

const [url, standard, github] = process.argv.slice(2);
const post = async (what, source, headers, body) => {
  const all = { ...headers, "content-type": "application/json" };
  const answer = await fetch(`${url}/hooks/in/${source}`, { method: "POST", headers: all, body });
  console.log(JSON.stringify({ what, status: answer.status, said: await answer.json() }));
};

const comment = { body: "größer 🛠", author: "ada" };
const body = JSON.stringify({ type: "comment.created", data: { comment, issue: { id: "KB-7" } } });
const now = new Date();
const headers = {
  "webhook-id": "msg_javascript",
  "webhook-timestamp": String(Math.floor(now.getTime() / 1000)),
  "webhook-signature": new Webhook(standard).sign("msg_javascript", now, body),
};
await post("changed", "javascript", headers, `${body} `);
await post("signed", "javascript", headers, body);
await post("signed", "javascript", headers, body);

let number = 0;
for (const { name, examples: payloads } of examples) {
  for (const payload of payloads) {
    const body = JSON.stringify(payload);
    const headers = {
      "x-github-event": name,
      "x-github-delivery": `octokit-${(number += 1)}`,
      "x-hub-signature-256": await sign(github, body),
    };
    await post(`github ${name}.${payload.action ?? ""}`, "github", headers, body);
  }
}
