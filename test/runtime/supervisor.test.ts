import { afterEach, expect, jest, test } from 'bun:test'
import { createLog } from '../../src/runtime/log.ts'
import { openSupervisor } from '../../src/runtime/supervisor.ts'

const log = createLog('silent')
const socket = { NOTIFY_SOCKET: '/run/notify' }

afterEach(() => jest.useRealTimers())

test('systemd waits for data, is pinged once there is some, and no more at the end', () => {
  jest.useFakeTimers()
  const sent: string[] = []
  const send = (state: string) => sent.push(state) > 0
  const environment = { ...socket, WATCHDOG_USEC: '30000000' }
  const supervisor = openSupervisor(
    environment,
    () => 'as it is',
    log,
    () => send,
  )
  const sentWithin = (seconds: number): readonly string[] => {
    jest.advanceTimersByTime(seconds * 1000)
    return sent.splice(0)
  }
  const extended = 'EXTEND_TIMEOUT_USEC=60000000\nSTATUS=as it is'
  expect(sentWithin(0)).toEqual([extended])
  expect(sentWithin(25)).toEqual([extended, extended])
  supervisor.ready()
  expect(sentWithin(0)).toEqual(['READY=1\nSTATUS=as it is'])
  expect(sentWithin(60)).toEqual(Array(6).fill('WATCHDOG=1\nSTATUS=as it is'))
  supervisor.stopping()
  expect(sentWithin(60)).toEqual(['STOPPING=1'])
})

test('a message that systemd does not get is logged', () => {
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

test('nothing is pinged without a watchdog, a socket or the library', () => {
  jest.useFakeTimers()
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
  jest.advanceTimersByTime(60_000)
  supervisor.stopping()
  expect(sent.map((state) => state.split('=')[0])).toEqual([
    'EXTEND_TIMEOUT_USEC',
    'READY',
    'STOPPING',
  ])
})
