// Lets agents of a hub open, look at, change and merge a pull request on a mock of GitHub that is made from GitHub's own
// published description, and holds every request of ours against it.
//
// Needs CLIENTS_BIN, and the folder of this script set up by `tests/clients/run`.

import { spawn } from 'node:child_process'
import { mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import { createRequire } from 'node:module'
import net from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { validate } from '@octokit/graphql-schema'

const HUB = process.env.CLIENTS_BIN
const WITHIN = 60_000
const resolve = createRequire(import.meta.url).resolve
const DESCRIPTION = join(dirname(resolve('@octokit/openapi/package.json')), 'generated', 'api.github.com.json')
const PRISM = join(dirname(resolve('@stoplight/prism-cli/package.json')), 'dist', 'index.js')
// What is expected to be asked, each at least once: everything else is a request that nobody knows of.
const EXPECTED = [
  'GET /repos/{owner}/{repo}',
  'GET /repos/{owner}/{repo}/pulls',
  'POST /repos/{owner}/{repo}/pulls',
  'GET /repos/{owner}/{repo}/pulls/{pull_number}',
  'PATCH /repos/{owner}/{repo}/pulls/{pull_number}',
  'PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge',
  'GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews',
  'GET /repos/{owner}/{repo}/commits/{ref}/check-runs',
  'GET /repos/{owner}/{repo}/commits/{ref}/status',
]

let failed = 0
const check = (what, holds, seen) => {
  failed += holds ? 0 : 1
  console.log(holds ? `ok   forge: ${what}` : `FAIL forge: ${what}\n     saw: ${JSON.stringify(seen)}`)
}

/** GitHub's description without what we never ask for: the whole takes a mock half a minute and a gigabyte. */
function part(wanted) {
  const all = JSON.parse(readFileSync(DESCRIPTION, 'utf8'))
  const paths = Object.fromEntries(wanted.map((path) => [path, all.paths[path]]))
  const components = {}
  const keep = (value) => {
    if (value === null || typeof value !== 'object') return
    for (const [key, inner] of Object.entries(value)) {
      if (key !== '$ref' || typeof inner !== 'string') {
        keep(inner)
        continue
      }
      const [kind, name] = inner.split('/').slice(2)
      components[kind] ??= {}
      if (!(name in components[kind])) keep((components[kind][name] = all.components[kind][name]))
    }
  }
  keep(paths)
  return { openapi: all.openapi, info: all.info, servers: [{ url: 'http://127.0.0.1' }], paths, components }
}

const freePort = () =>
  new Promise((done) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => done(port))
    })
  })

async function until(what, look) {
  for (const began = Date.now(); Date.now() - began < WITHIN; ) {
    const found = await look().catch(() => undefined)
    if (found !== undefined) return found
    await new Promise((done) => setTimeout(done, 100))
  }
  throw new Error(`${what} did not come about within ${WITHIN / 1000} s`)
}

/** The path of the description that a request is for. */
function pathOf(asked) {
  const parts = asked.split('/')
  const fits = (template) => {
    const own = template.split('/')
    return own.length === parts.length && own.every((part, at) => part.startsWith('{') || part === parts[at])
  }
  return EXPECTED.map((one) => one.split(' ')[1]).find(fits) ?? asked
}

const read = async (stream) => {
  const chunks = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** Stands before the mock: notes what is asked and what the mock has against it, and says what an example cannot. */
async function desk(mock, seen) {
  const server = http.createServer(async (request, response) => {
    const body = await read(request)
    const path = request.url.split('?')[0]
    const tell = (value) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(value))
    }
    if (path === '/graphql') {
      const { query, variables } = JSON.parse(body)
      const against = validate(query).map((error) => error.message)
      seen.push({ asked: 'POST /graphql', status: 200, against, variables })
      return tell({ data: { repository: { pullRequest: { reviewThreads: { nodes: [] } } } } })
    }
    // GitHub recommends its own media type, and describes its answers as plain JSON alone.
    const headers = { ...request.headers, host: mock, accept: 'application/json' }
    const sent = { method: request.method, headers, body: body.length ? body : undefined }
    delete sent.headers['content-length']
    delete sent.headers.connection
    const answer = await fetch(`http://${mock}${request.url}`, sent)
    const against = JSON.parse(answer.headers.get('sl-violations') ?? '[]').filter((one) => one.location[0] === 'request')
    if (request.headers.accept !== 'application/vnd.github+json') against.push(request.headers)
    const asked = `${request.method} ${pathOf(path)}`
    seen.push({ asked, status: answer.status, against })
    const text = await answer.text()
    // The examples know an open pull request of every branch: before ours there is none.
    if (asked === 'GET /repos/{owner}/{repo}/pulls' && answer.ok) return tell([])
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'application/json' })
    response.end(text)
  })
  await new Promise((done) => server.listen(0, '127.0.0.1', done))
  return server
}

async function main(folder) {
  const running = []
  const start = (program, words, options) => {
    const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'inherit'], ...options })
    running.push(child)
    return child
  }
  try {
    const file = join(folder, 'github.json')
    writeFileSync(file, JSON.stringify(part([...new Set(EXPECTED.map((one) => one.split(' ')[1]))])))
    const mock = `127.0.0.1:${await freePort()}`
    const prism = start(process.execPath, [PRISM, 'mock', '-h', '127.0.0.1', '-p', mock.split(':')[1], file])
    let log = ''
    prism.stdout.on('data', (data) => (log += data))
    await until('the mock of GitHub', async () => (await fetch(`http://${mock}/`), true))
    const seen = []
    const server = await desk(mock, seen)

    const config = join(folder, 'config')
    mkdirSync(config)
    const token = join(folder, 'github.token')
    writeFileSync(token, 'ghp_of_a_test\n', { mode: 0o600 })
    const base = `http://127.0.0.1:${server.address().port}`
    const forge = { kind: 'github', baseUrl: base, tokenFile: token, repositories: ['octocat/*'] }
    writeFileSync(join(config, 'hub.yaml'), JSON.stringify({ forge }))
    const merge = { requireApproval: false, requireGreen: false }
    const roles = { 'full-stack-engineer': { merge } }
    writeFileSync(join(config, 'agents.yaml'), JSON.stringify({ roles }))
    const env = { ...process.env, CALLBOARD_DATA_DIR: join(folder, 'data'), NO_COLOR: '1' }
    delete env.CALLBOARD_URL
    delete env.CALLBOARD_TOKEN_FILE
    const hub = start(HUB, ['serve', '--listen', '127.0.0.1:0', '--config', config], { env })
    let said = ''
    hub.stdout.on('data', (data) => (said += data))
    const url = await until('the hub', async () => /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0])
    const made = start(HUB, ['token', 'create', '--agent', 'hand-1', '--json'], { env })
    const bearer = JSON.parse(await read(made.stdout)).token
    const call = async (tool, words) => {
      const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' }
      const answer = await fetch(`${url}/api/v1/tools/${tool}`, { method: 'POST', headers, body: JSON.stringify(words) })
      const body = await answer.json()
      check(`${tool} is done`, answer.status === 200, body)
      return body
    }

    const workspace = { repo: 'octocat/Hello-World', branch: 'new-topic' }
    await call('register_agent', { agentId: 'hand-1', role: 'full-stack-engineer', workspace })
    const opened = await call('create_pr', { title: 'Amazing new feature', body: 'Please pull these in!', draft: true })
    check('what the mock answers is understood', opened.pr?.number === 1347, opened)
    const id = opened.pr?.pr_id
    await call('get_pr_status', { pr_id: id })
    await call('update_pr', { pr_id: id, title: 'Amazing newer feature', body: 'Now with größer 🛠' })
    await call('merge_pr', { pr_id: id, method: 'squash' })

    for (const one of seen.filter((one) => one.against.length > 0)) check(`${one.asked} is as described`, false, one)
    check('every request is one that GitHub describes', seen.every((one) => one.against.length === 0), seen)
    const asked = new Set(seen.map((one) => one.asked))
    for (const one of EXPECTED) check(`${one} was asked`, asked.has(one), [...asked])
    const unknown = [...asked].filter((one) => !EXPECTED.includes(one) && one !== 'POST /graphql')
    check('nothing else was asked', unknown.length === 0, unknown)
    if (failed > 0) console.log(log)
    server.close()
  } finally {
    for (const child of running) child.kill()
    await Promise.all(running.map((child) => child.exitCode ?? new Promise((done) => child.once('exit', done))))
  }
}

const folder = mkdtempSync(join(tmpdir(), 'callboard-forge-'))
try {
  await main(folder)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
console.log(`forge: ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
