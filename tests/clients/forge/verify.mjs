// Lets agents of a hub open, look at, change and merge a pull request on a mock of GitHub, and on one of Forgejo, each
// made from the forge's own published description, and holds every request of ours against it.
//
// Needs CLIENTS_BIN, cargo, and the folder of this script set up by `tests/clients/run`.

import { execFileSync, spawn } from 'node:child_process'
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
const PRISM = join(dirname(resolve('@stoplight/prism-cli/package.json')), 'dist', 'index.js')

/** Forgejo's description lies in a crate, which cargo fetches as the lock file names it. Nothing is compiled. */
function ofCrate(name, file) {
  const manifest = join(import.meta.dirname, 'description', 'Cargo.toml')
  const words = ['metadata', '--locked', '--format-version', '1', '--manifest-path', manifest]
  const all = JSON.parse(execFileSync('cargo', words, { encoding: 'utf8', maxBuffer: 64 << 20 }))
  return join(dirname(all.packages.find((one) => one.name === name).manifest_path), file)
}

// What each forge is. `expected` is what is to be asked, each at least once, the most literal first: everything else is
// a request that nobody knows of. `below` is where its interface lies. `instead` says what the mock's example cannot.
const FORGES = [
  {
    kind: 'github',
    description: () => join(dirname(resolve('@octokit/openapi/package.json')), 'generated', 'api.github.com.json'),
    below: '',
    repository: 'octocat/Hello-World',
    number: 1347,
    // GitHub recommends its own media type, and describes its answers as plain JSON alone.
    accept: 'application/vnd.github+json',
    expected: [
      'GET /user',
      'GET /repos/{owner}/{repo}',
      'GET /repos/{owner}/{repo}/pulls',
      'POST /repos/{owner}/{repo}/pulls',
      'GET /repos/{owner}/{repo}/pulls/{pull_number}',
      'PATCH /repos/{owner}/{repo}/pulls/{pull_number}',
      'PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge',
      'GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews',
      'GET /repos/{owner}/{repo}/commits/{ref}/check-runs',
      'GET /repos/{owner}/{repo}/commits/{ref}/check-suites',
      'GET /repos/{owner}/{repo}/commits/{ref}/status',
      'GET /repos/{owner}/{repo}/compare/{basehead}',
    ],
    instead(asked, given) {
      // The examples know an open pull request of every branch: before ours there is none.
      if (asked === 'GET /repos/{owner}/{repo}/pulls') return []
      // And its reader may not write.
      if (asked === 'GET /repos/{owner}/{repo}') return { ...given, permissions: { pull: true, push: true } }
      return given
    },
  },
  {
    kind: 'forgejo',
    description: () => ofCrate('forgejo-api', 'swagger.v1.json'),
    below: '/api/v1',
    repository: 'acme/shop',
    number: 0,
    accept: 'application/json',
    expected: [
      'GET /user',
      'GET /repos/{owner}/{repo}',
      'GET /repos/{owner}/{repo}/pulls',
      'POST /repos/{owner}/{repo}/pulls',
      'GET /repos/{owner}/{repo}/pulls/{index}',
      'PATCH /repos/{owner}/{repo}/pulls/{index}',
      'POST /repos/{owner}/{repo}/pulls/{index}/merge',
      'GET /repos/{owner}/{repo}/pulls/{index}/reviews',
      'GET /repos/{owner}/{repo}/pulls/{index}/reviews/{id}/comments',
      'GET /repos/{owner}/{repo}/pulls/{index}/commits',
      'GET /repos/{owner}/{repo}/issues/{index}/timeline',
      'GET /repos/{owner}/{repo}/collaborators/{collaborator}/permission',
      'GET /repos/{owner}/{repo}/commits/{ref}/status',
      'GET /repos/{owner}/{repo}/pulls/{base}/{head}',
    ],
    instead(asked, given, sent) {
      if (asked === 'GET /repos/{owner}/{repo}/pulls') return []
      // Somebody was first with this branch.
      if (asked.startsWith('POST') && sent?.head === 'taken') return { status: 409, message: 'already exists' }
      // All that may be true is true in what the mock makes up.
      if (given?.html_url && 'draft' in given) {
        return { ...given, user: { ...given.user, login: 'somebody' }, draft: false, merged: false }
      }
      // What somebody may do is asked of those whose word would count.
      const counts = { state: 'APPROVED', official: true, dismissed: false, comments_count: 1 }
      if (asked.endsWith('/reviews')) {
        return given.map((review) => ({ ...review, user: { ...review.user, id: 7, login: 'ada' }, ...counts }))
      }
      return given
    },
  },
]

let failed = 0
/** A description without what we never ask for: the whole takes a mock half a minute and a gigabyte. */
function part(file, wanted) {
  const all = JSON.parse(readFileSync(file, 'utf8'))
  const { openapi, swagger, info, consumes, produces, securityDefinitions, security } = all
  const kept = { openapi, swagger, info, consumes, produces, securityDefinitions, security }
  kept.paths = Object.fromEntries(wanted.map((path) => [path, all.paths[path]]))
  if (all.openapi) kept.servers = [{ url: 'http://127.0.0.1' }]
  const keep = (value) => {
    if (value === null || typeof value !== 'object') return
    for (const [key, inner] of Object.entries(value)) {
      if (key !== '$ref' || typeof inner !== 'string') {
        keep(inner)
        continue
      }
      const way = inner.split('/').slice(1)
      const name = way.pop()
      const [from, to] = way.reduce(([from, to], step) => [from[step], (to[step] ??= {})], [all, kept])
      if (!(name in to)) keep((to[name] = from[name]))
    }
  }
  keep(kept.paths)
  // With these a mock makes up the smallest of all numbers, and URLs that it finds fault with by itself.
  const made = (key, value) => (key === 'format' && ['int64', 'url'].includes(value) ? undefined : value)
  return JSON.parse(JSON.stringify(kept, made))
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
function pathOf(forge, method, asked) {
  const parts = asked.split('/')
  const fits = (one) => {
    const [verb, template] = one.split(' ')
    const own = template.split('/')
    const same = own.length === parts.length && own.every((part, at) => part.startsWith('{') || part === parts[at])
    return verb === method && same
  }
  return forge.expected.find(fits) ?? `${method} ${asked}`
}

const read = async (stream) => {
  const chunks = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** Stands before the mock: notes what is asked and what the mock has against it, and says what an example cannot. */
async function desk(forge, mock, seen) {
  const server = http.createServer(async (request, response) => {
    const body = await read(request)
    const tell = (value, status = 200) => {
      // A comparison of two commits has a `status` of its own, in words.
      const code = typeof value?.status === 'number' ? value.status : status
      response.writeHead(code, { 'content-type': 'application/json' })
      response.end(value === undefined ? '' : JSON.stringify(value))
    }
    const [path, query] = request.url.split('?')
    if (forge.kind === 'github' && path === '/graphql') {
      const { query, variables } = JSON.parse(body)
      const against = validate(query).map((error) => error.message)
      seen.push({ asked: 'POST /graphql', status: 200, against, variables })
      // Two pages, and the second one is asked for by the cursor of the first.
      const pageInfo = { hasNextPage: variables.after === null, endCursor: 'Y3Vyc29y' }
      const reviewThreads = { nodes: [{ isResolved: variables.after === null }], pageInfo }
      const author = { __typename: 'User', login: 'octocat' }
      const latestOpinionatedReviews = { nodes: [{ author }], pageInfo }
      const timelineItems = { nodes: [{ createdAt: '2011-01-26T19:01:12Z' }] }
      const pullRequest = { reviewThreads, latestOpinionatedReviews, author, timelineItems }
      return tell({ data: { viewer: { login: 'callboard-bot' }, repository: { pullRequest } } })
    }
    const below = path.startsWith(forge.below) ? path.slice(forge.below.length) : path
    const headers = { ...request.headers, host: mock, accept: 'application/json' }
    const sent = { method: request.method, headers, body: body.length ? body : undefined }
    delete sent.headers['content-length']
    delete sent.headers.connection
    const answer = await fetch(`http://${mock}${below}${query ? `?${query}` : ''}`, sent)
    const violations = JSON.parse(answer.headers.get('sl-violations') ?? '[]')
    const against = violations.filter((one) => one.location[0] === 'request')
    if (request.headers.accept !== forge.accept) against.push(request.headers)
    if (!path.startsWith(forge.below)) against.push(path)
    const asked = pathOf(forge, request.method, below)
    seen.push({ asked, status: answer.status, against })
    const text = await answer.text()
    const given = text === '' ? undefined : JSON.parse(text)
    tell(answer.ok ? forge.instead(asked, given, body.length ? JSON.parse(body) : undefined) : given, answer.status)
  })
  await new Promise((done) => server.listen(0, '127.0.0.1', done))
  return server
}

async function verify(forge, folder) {
  const { kind, expected } = forge
  const check = (what, holds, seen) => {
    failed += holds ? 0 : 1
    console.log(holds ? `ok   ${kind}: ${what}` : `FAIL ${kind}: ${what}\n     saw: ${JSON.stringify(seen)}`)
  }
  const running = []
  const start = (program, words, options) => {
    const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'inherit'], ...options })
    running.push(child)
    return child
  }
  try {
    const file = join(folder, 'description.json')
    const wanted = [...new Set(expected.map((one) => one.split(' ')[1]))]
    writeFileSync(file, JSON.stringify(part(forge.description(), wanted)))
    const mock = `127.0.0.1:${await freePort()}`
    const prism = start(process.execPath, [PRISM, 'mock', '-h', '127.0.0.1', '-p', mock.split(':')[1], file])
    let log = ''
    prism.stdout.on('data', (data) => (log += data))
    await until('the mock', async () => (await fetch(`http://${mock}/`), true))
    const seen = []
    const server = await desk(forge, mock, seen)

    const config = join(folder, 'config')
    mkdirSync(config)
    const tokenFile = join(folder, 'forge.token')
    writeFileSync(tokenFile, 'token_of_a_test\n', { mode: 0o600 })
    const baseUrl = `http://127.0.0.1:${server.address().port}`
    const repositories = [forge.repository]
    writeFileSync(join(config, 'hub.yaml'), JSON.stringify({ forge: { kind, baseUrl, tokenFile, repositories } }))
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
    const made = start(HUB, ['token', 'create', '--agent', 'hand-1', '-o', 'json'], { env })
    const bearer = JSON.parse(await read(made.stdout)).token
    const call = async (tool, words) => {
      const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' }
      const answer = await fetch(`${url}/api/v1/tools/${tool}`, { method: 'POST', headers, body: JSON.stringify(words) })
      const body = await answer.json()
      check(`${tool} is done`, answer.status === 200, body)
      return body
    }

    const looked = start(HUB, ['doctor', 'forge', '-o', 'json', '--config', config], { env })
    const found = JSON.parse(await read(looked.stdout))
    check('forge check finds nothing wrong', found.ok && found.findings.length === 2, found)
    const workspace = { repo: forge.repository, branch: 'new-topic' }
    await call('register_agent', { agentId: 'hand-1', role: 'full-stack-engineer', workspace })
    const opened = await call('create_pr', { title: 'Amazing new feature', body: 'Please pull these in!', draft: true })
    check('what the mock answers is understood', opened.pr?.number === forge.number, opened)
    const id = opened.pr?.pr_id
    const status = await call('get_pr_status', { pr_id: id })
    check('threads are counted', status.unresolved_threads === (kind === 'github' ? 1 : 0), status)
    await call('update_pr', { pr_id: id, title: 'Amazing newer feature', body: 'Now with größer 🛠' })
    await call('merge_pr', { pr_id: id, method: 'squash' })

    if (kind === 'forgejo') await call('create_pr', { title: 'Another', head_branch: 'taken', base_branch: 'main' })

    for (const one of seen.filter((one) => one.against.length > 0)) check(`${one.asked} is as described`, false, one)
    check('every request is one that is described', seen.every((one) => one.against.length === 0), seen)
    const asked = new Set(seen.map((one) => one.asked))
    for (const one of expected) check(`${one} was asked`, asked.has(one), [...asked])
    const unknown = [...asked].filter((one) => !expected.includes(one) && one !== 'POST /graphql')
    check('nothing else was asked', unknown.length === 0, unknown)
    if (failed > 0) console.log(log)
    server.close()
  } finally {
    for (const child of running) child.kill()
    await Promise.all(running.map((child) => child.exitCode ?? new Promise((done) => child.once('exit', done))))
  }
}

for (const forge of FORGES) {
  const folder = mkdtempSync(join(tmpdir(), 'callboard-forge-'))
  try {
    await verify(forge, folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
console.log(`forge: ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
