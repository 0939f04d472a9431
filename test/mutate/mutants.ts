import ts from 'typescript'

/** One fault: the text from `start` to `end` (indices of UTF-16 units) gives way to `replacement`. */
export interface Mutant {
  readonly kind: Kind
  readonly start: number
  readonly end: number
  readonly replacement: string
}

export type Kind =
  | 'condition'
  | 'boundary'
  | 'operator'
  | 'constant'
  | 'statement'
  | 'await'
  | 'arguments'
  | 'member'
  | 'own'

const otherOperators: Readonly<Record<string, readonly [Kind, string]>> = {
  '<': ['boundary', '<='],
  '<=': ['boundary', '<'],
  '>': ['boundary', '>='],
  '>=': ['boundary', '>'],
  '===': ['condition', '!=='],
  '!==': ['condition', '==='],
  '&&': ['operator', '||'],
  '||': ['operator', '&&'],
  '??': ['operator', '&&'],
  '+': ['operator', '-'],
  '-': ['operator', '+'],
  '*': ['operator', '/'],
  '/': ['operator', '*'],
  '+=': ['operator', '-='],
  '-=': ['operator', '+='],
}

const isText = (node: ts.Node) => ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)

/** Whether leaving the statement out leaves a program: no declaration, and not the last value of a function. */
const isRemovable = (node: ts.Node): boolean =>
  ts.isExpressionStatement(node) ||
  ts.isContinueStatement(node) ||
  (ts.isReturnStatement(node) && !node.expression) ||
  (ts.isIfStatement(node) && !node.elseStatement) ||
  (ts.isThrowStatement(node) && ts.isBlock(node.parent))

const textMembers: ReadonlySet<string> = new Set(['description', 'summary', 'title', 'examples'])
/** A call of the log, or what only describes something. */
const isWording = (node: ts.Node): boolean =>
  (ts.isCallExpression(node) &&
    ts.isIdentifier(node.expression) &&
    node.expression.text === 'log') ||
  (ts.isPropertyAssignment(node) && textMembers.has(node.name.getText()))

/** `2 ** 20`, a size: one that is twice as large works as well. */
const isPower = (node: ts.Node): boolean =>
  ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.AsteriskAsteriskToken

/** Texts of a regular expression without one of its alternatives each, at every depth. */
export const withoutAlternatives = (expression: string): readonly string[] => {
  /** Of each open group: where its alternatives start. */
  const groups: number[][] = [[1]]
  const texts: string[] = []
  const close = (starts: readonly number[], end: number): void => {
    if (starts.length < 2) return
    for (const [index, start] of starts.entries()) {
      const next = starts[index + 1]
      texts.push(
        next === undefined
          ? expression.slice(0, start - 1) + expression.slice(end)
          : expression.slice(0, start) + expression.slice(next),
      )
    }
  }
  for (const { 0: token, index } of expression.matchAll(
    /\\.|\[(?:\\.|[^\]])*\]|\((?:\?(?:<?[:=!]|<\w+>))?|[|)]|\/\w*$/gs,
  )) {
    if (token === '|') groups.at(-1)?.push(index + 1)
    else if (token.startsWith('(')) groups.push([index + token.length])
    else if (token === ')' || (token.startsWith('/') && index > 0)) close(groups.pop() ?? [], index)
  }
  return texts
}

const isValue = (node: ts.Expression) =>
  ts.isIdentifier(node) || ts.isPropertyAccessExpression(node) || ts.isNumericLiteral(node)

/**
 * Faults that a person could make in one place of a TypeScript source, in the order of the text. What only
 * words a message, types and imports are left as they are.
 */
export const mutantsOf = (text: string): Mutant[] => {
  const source = ts.createSourceFile('source.ts', text, ts.ScriptTarget.ESNext, true)
  const mutants: Mutant[] = []
  const add = (kind: Kind, node: ts.Node, replacement: string) => {
    mutants.push({ kind, start: node.getStart(source), end: node.getEnd(), replacement })
  }
  const textOf = (node: ts.Node) => node.getText(source)

  /** One member of a list or of an object is missing. */
  const addWithout = (members: ts.NodeArray<ts.Node>) => {
    if (members.length < 2) return
    for (const [index, member] of members.entries()) {
      if (isWording(member)) continue
      const next = members[index + 1]
      const end = next ? next.getStart(source) : member.getEnd()
      mutants.push({ kind: 'member', start: member.getStart(source), end, replacement: '' })
    }
  }

  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isInterfaceDeclaration(node))
      return
    if (isWording(node)) return
    if (isRemovable(node)) add('statement', node, ';')
    if (ts.isIfStatement(node) || ts.isWhileStatement(node)) {
      add('condition', node.expression, `!(${textOf(node.expression)})`)
    } else if (ts.isConditionalExpression(node)) {
      add('condition', node.condition, `!(${textOf(node.condition)})`)
    } else if (ts.isBinaryExpression(node)) {
      const other = otherOperators[textOf(node.operatorToken)]
      if (other && !isText(node.left) && !isText(node.right))
        add(other[0], node.operatorToken, other[1])
    } else if (
      ts.isPrefixUnaryExpression(node) &&
      node.operator === ts.SyntaxKind.ExclamationToken
    ) {
      add('condition', node, textOf(node.operand))
    } else if (ts.isAwaitExpression(node)) {
      add('await', node, `(${textOf(node.expression)})`)
    } else if (ts.isNumericLiteral(node) && !isPower(node.parent)) {
      // Limits, sizes and times work as well one higher.
      add('constant', node, `(${textOf(node)} ${Number(node.text) < 10 ? '+ 1' : '* 2'})`)
    } else if (
      node.kind === ts.SyntaxKind.TrueKeyword ||
      node.kind === ts.SyntaxKind.FalseKeyword
    ) {
      add('constant', node, node.kind === ts.SyntaxKind.TrueKeyword ? 'false' : 'true')
    } else if (ts.isRegularExpressionLiteral(node)) {
      for (const replacement of withoutAlternatives(textOf(node))) add('member', node, replacement)
    } else if (ts.isArrayLiteralExpression(node)) {
      addWithout(node.elements)
    } else if (ts.isObjectLiteralExpression(node)) {
      addWithout(node.properties)
    } else if (ts.isCallExpression(node)) {
      const [first, second] = node.arguments
      if (
        first &&
        second &&
        isValue(first) &&
        isValue(second) &&
        textOf(first) !== textOf(second) &&
        !/^Math\.m|[eE]quals?$/.test(textOf(node.expression))
      ) {
        const start = first.getStart(source)
        const replacement = `${textOf(second)}, ${textOf(first)}`
        mutants.push({ kind: 'arguments', start, end: second.getEnd(), replacement })
      }
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return mutants.sort((a, b) => a.start - b.start || a.end - b.end)
}

export const applyMutant = (text: string, mutant: Mutant): string =>
  text.slice(0, mutant.start) + mutant.replacement + text.slice(mutant.end)

/** Of an index into the text, counted from 1. */
export const lineOf = (text: string, index: number): number =>
  text.slice(0, index).split('\n').length

/** `file:line: kind: old text → new text`, in one line. */
export const describeMutant = (file: string, text: string, mutant: Mutant): string => {
  const short = (part: string) => {
    const folded = part.replace(/\s+/g, ' ')
    return folded.length > 60 ? `${folded.slice(0, 59)}…` : folded || 'nothing'
  }
  const before = short(text.slice(mutant.start, mutant.end))
  return `${file}:${lineOf(text, mutant.start)}: ${mutant.kind}: ${before} → ${short(mutant.replacement)}`
}
