import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import dashboard from '../../scripts/deploy/prometheus/dashboard.json' with { type: 'json' }
import { freePort } from '../freePort.ts'
import {
  projectFolder,
  type Running,
  runToEnd,
  startService,
  stopService,
  temporaryFolder,
} from '../process.ts'
import { until } from '../until.ts'

const deployed = join(projectFolder, 'scripts/deploy/prometheus')

/** Runs promtool; returns its output and exit code. */
const promtool = async (
  args: readonly string[],
  input = '',
): Promise<{ code: number; output: string }> => {
  const child = Bun.spawn(['promtool', ...args], {
    stdin: Buffer.from(input),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const texts = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  return { code: await child.exited, output: texts.join('') }
}

/** Names counters after their samples, as the text format before OpenMetrics did. */
const asTextFormat = (openMetrics: string): string => {
  const counters = new Set(
    [...openMetrics.matchAll(/^# TYPE (\w+) counter$/gm)].map(([, name]) => name),
  )
  return openMetrics
    .replace(/^# (HELP|TYPE) (\w+)/gm, (line, _, name) =>
      counters.has(name) ? `${line}_total` : line,
    )
    .replace('# EOF\n', '')
}

describe('the metrics in Prometheus', () => {
  const adminUrl = `http://127.0.0.1:${freePort()}`
  const prometheusUrl = `http://127.0.0.1:${freePort()}`
  const alertmanagerUrl = `http://127.0.0.1:${freePort()}`
  const mailPort = freePort()
  let service: Running
  const programs: Bun.Subprocess[] = []
  /** Messages received by the webhook and the mail server. */
  const received = { pages: '', mail: '' }
  const webhook = Bun.serve({
    port: 0,
    fetch: async (request) => {
      received.pages += await request.text()
      return new Response()
    },
  })
  const start = (...command: string[]) => {
    const child = Bun.spawn(command, { stdin: 'ignore', stdout: 'pipe', stderr: 'ignore' })
    programs.push(child)
    return child
  }
  const untilReady = (url: string) =>
    until(async () => (await fetch(`${url}/-/ready`).catch(() => undefined))?.ok === true)

  // biome-ignore lint/suspicious/noExplicitAny: answers of Prometheus are checked by the tests.
  const get = async (path: string): Promise<any> =>
    (await fetch(`${prometheusUrl}/api/v1/${path}`)).json()
  const query = async (expression: string) =>
    get(`query?${new URLSearchParams({ query: expression })}`)

  beforeAll(async () => {
    const dataDir = await temporaryFolder()
    // The usage log cannot be written because a file has the name of its folder.
    await writeFile(join(dataDir, 'usage'), '')
    service = await startService({ ADMIN_PORT: new URL(adminUrl).port, DATA_DIR: dataDir })
    const folder = await temporaryFolder()
    /** A deployed file with other URLs and times. */
    const changed = async (name: string, ...changes: readonly (readonly [string, string])[]) => {
      const text = await Bun.file(join(deployed, name)).text()
      const path = join(folder, name)
      await writeFile(
        path,
        changes.reduce((all, [from, to]) => all.replaceAll(from, to), text),
      )
      return path
    }
    await changed('alerts.yml', ['for: 1m', 'for: 1s'])
    const config = await changed(
      'prometheus.yml',
      ['10s', '1s'],
      ['127.0.0.1:13000', new URL(adminUrl).host],
      ['127.0.0.1:9093', new URL(alertmanagerUrl).host],
    )
    const routes = await changed(
      'alertmanager.yml',
      ['group_wait: 5s', 'group_wait: 0s'],
      ['mail.example:587 # your mail server', `127.0.0.1:${mailPort}\n  smtp_require_tls: false`],
      ['  smtp_auth_username: cageside@cageside.example\n', ''],
      ['  smtp_auth_password_file: /etc/prometheus/mail-password\n', ''],
      ['http://127.0.0.1:9095/page', `${webhook.url}page`],
    )
    const mail = start(
      ...['python3', '-u', '-W', 'ignore', '-m', 'smtpd', '-n', '-c', 'DebuggingServer'],
      `127.0.0.1:${mailPort}`,
    )
    void (async () => {
      for await (const chunk of mail.stdout) received.mail += new TextDecoder().decode(chunk)
    })()
    start(
      'prometheus-alertmanager',
      `--config.file=${routes}`,
      `--storage.path=${join(folder, 'alerts')}`,
      `--web.listen-address=${new URL(alertmanagerUrl).host}`,
      '--cluster.listen-address=',
    )
    start(
      'prometheus',
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=${new URL(prometheusUrl).host}`,
    )
    await Promise.all([prometheusUrl, alertmanagerUrl].map(untilReady))
    for (let n = 0; n < 20; n += 1) await fetch(`${service.url}/fights/recent?limit=3`)
  })
  afterAll(async () => {
    for (const program of programs) program.kill()
    await Promise.all([...programs.map(({ exited }) => exited), webhook.stop(true)])
    await stopService(service)
  })

  test('promtool finds metrics well named and described', async () => {
    const text = asTextFormat(await (await fetch(`${adminUrl}/metrics`)).text())
    expect(text).toContain('# TYPE cageside_http_request_duration_seconds histogram')
    expect(await promtool(['check', 'metrics'], text)).toEqual({ code: 0, output: '' })
    const broken = text.replace('# HELP cageside_streams ', '# HELP other ')
    expect((await promtool(['check', 'metrics'], broken)).code).not.toBe(0)
  })

  test('promtool finds rules and configuration valid', async () => {
    const { code, output } = await promtool(['check', 'config', join(deployed, 'prometheus.yml')])
    expect([code, output]).toEqual([0, expect.stringContaining('15 rules found')])
    const tests = join(import.meta.dirname, 'alertRules.yml')
    expect(await promtool(['test', 'rules', tests])).toMatchObject({ code: 0 })
    const routes = join(deployed, 'alertmanager.yml')
    expect((await runToEnd(['amtool', 'check-config', routes])).code).toBe(0)
  })

  test('metrics are scraped as OpenMetrics, and the alerts evaluated', async () => {
    const firing = async (): Promise<readonly string[]> => {
      const { data } = await get('alerts')
      return data.alerts.map(({ labels }: { labels: { alertname: string } }) => labels.alertname)
    }
    // The alert is pending because the service cannot write its usage log.
    await until(async () => (await firing()).includes('CagesideDegraded'))
    const { data } = await get('targets')
    const scraped = data.activeTargets.filter(({ scrapeUrl }: { scrapeUrl: string }) =>
      scrapeUrl.startsWith(adminUrl),
    )
    expect(scraped).toMatchObject([{ health: 'up', lastError: '' }])
    const { data: rules } = await get('rules')
    const [{ rules: own }] = rules.groups
    expect(own).toHaveLength(15)
    for (const { health, lastError } of own) expect([health, lastError]).toEqual(['ok', undefined])
    expect(await firing()).not.toContain('CagesideDown')
  })

  test('every panel of the dashboard has a valid query of existing metrics', async () => {
    const expressions = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
    expect(expressions.length).toBeGreaterThan(20)
    const names = new Set<string>((await get('label/__name__/values')).data)
    for (const expression of expressions) {
      const { status, data } = await query(expression)
      expect([expression, status, data?.resultType]).toEqual([expression, 'success', 'vector'])
      for (const [name] of expression.matchAll(/\b(cageside|process|nodejs)_\w+/g)) {
        expect([name, names.has(name)]).toEqual([name, true])
      }
    }
    const { data } = await query(
      'cageside_http_request_duration_seconds_count{route="/fights/recent",status="200"}',
    )
    expect(data.result).toMatchObject([{ value: [expect.anything(), '20'] }])
  })

  test('a service that ends is reported by webhook and mail', async () => {
    await stopService(service)
    await until(() => received.pages.includes('"alertname":"CagesideDown"'))
    await until(() => received.mail.includes('CagesideDown'))
    expect(received.mail).toContain('To: you@cageside.example')
  })
})
