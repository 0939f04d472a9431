import { expect, test } from 'bun:test'
import { createLog } from '../../src/log.ts'
import { openSupervisor } from '../../src/supervisor.ts'
import { until } from '../until.ts'

const log = createLog('silent')
const socket = { NOTIFY_SOCKET: '/run/notify' }

test('systemd waits for data, is pinged once there is some, and no more at the end', async () => {
  const sent: string[] = []
  const send = (state: string) => sent.push(state) > 0
  const environment = { ...socket, WATCHDOG_USEC: '30000' }
  const supervisor = openSupervisor(
    environment,
    () => 'as it is',
    log,
    () => send,
  )
  expect(sent).toEqual(['EXTEND_TIMEOUT_USEC=60000000\nSTATUS=as it is'])
  supervisor.ready()
  const pings = () => sent.slice(2)
  let intervals = 0
  const counting = setInterval(() => {
    intervals += 1
  }, 30)
  // Three in each interval, but for delays that both have.
  await until(() => intervals > 1 && pings().length >= 2 * intervals)
  clearInterval(counting)
  expect(sent[1]).toBe('READY=1\nSTATUS=as it is')
  expect(new Set(pings())).toEqual(new Set(['WATCHDOG=1\nSTATUS=as it is']))
  supervisor.stopping()
  const { length } = sent
  await Bun.sleep(50)
  expect(sent.slice(length - 1)).toEqual(['STOPPING=1'])
})

test('a message that is not sent is logged', () => {
  const lines: unknown[] = []
  const supervisor = openSupervisor(
    socket,
    () => '',
    (level, message, fields) => lines.push({ level, message, ...fields }),
    () => () => false,
  )
  lines.length = 0
  supervisor.stopping()
  expect(lines).toEqual([
    { level: 'warn', message: 'systemd cannot be notified', state: 'STOPPING=1' },
  ])
})

test('without a watchdog, a socket or the library there is nothing to ping', () => {
  const sent: string[] = []
  const send = () => (state: string) => sent.push(state) > 0
  const missing = () => {
    throw new Error('no library')
  }
  openSupervisor({}, () => '', log, send).ready()
  openSupervisor(socket, () => '', log, missing).ready()
  expect(sent).toEqual([])
  const supervisor = openSupervisor({ ...socket, WATCHDOG_USEC: '' }, () => '', log, send)
  supervisor.ready()
  supervisor.stopping()
  expect(sent.map((state) => state.split('=')[0])).toEqual([
    'EXTEND_TIMEOUT_USEC',
    'READY',
    'STOPPING',
  ])
})
