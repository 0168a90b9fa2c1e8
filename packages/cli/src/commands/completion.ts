import { UsageError } from '../arguments.ts';
import type { Command } from '../command.ts';
import { GLOBAL } from '../options.ts';

/** @param commands all others, whose names and options are completed. */
export function completionOf(commands: readonly Command[]): Command {
  return {
    name: 'completion',
    words: 'bash|zsh',
    mostWords: 1,
    summary: 'Print a completion script',
    options: {},
    examples: ['eval "$(mayfly completion bash)"', 'mayfly completion zsh > ~/.zfunc/_mayfly'],
    run: async ({ args, terminal }) => {
      const [shell] = args.words;
      if (shell !== 'bash' && shell !== 'zsh')
        throw new UsageError('The shell must be bash or zsh.');
      terminal.show({ shell, script: scripts[shell](commands) }, scripts[shell](commands));
    },
  };
}

const scripts = {
  bash: (commands: readonly Command[]) => `_mayfly() {
  local current=\${COMP_WORDS[COMP_CWORD]} before="\${COMP_WORDS[*]:1:COMP_CWORD-1}" words=
  # "--mailbox=inbox" is three words.
  [[ $current = "=" ]] && current=
  case "\${before% =}" in
${MAILBOX_NAMES}
${choicesOf(commands)}
${casesOf(commands)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _mayfly mayfly`,
  zsh: (commands: readonly Command[]) => `#compdef mayfly
_mayfly() {
  local words_before="\${words[2,CURRENT-1]}" current=$PREFIX candidates=
  case "$words_before" in
${`${MAILBOX_NAMES}\n${choicesOf(commands)}\n${casesOf(commands)}`.replaceAll('words=', 'candidates=')}
  esac
  compadd -- \${=candidates}
}
# The first completion of a shell runs the file as the function; eval runs it as a script.
if [[ "\${funcstack[1]}" = _mayfly ]]; then _mayfly "$@"; else compdef _mayfly mayfly; fi`,
};

/** Where the name of a mailbox follows. The service is asked for those that begin so. */
const MAILBOX_NAMES = `    *" -m"|*" --mailbox"|"mailbox delete")
      words=$(mayfly mailbox list --prefix "$current" --limit 100 2>/dev/null | cut -d@ -f1) ;;`;

/** The values that can follow an option, whose name means the same in each command. */
function choicesOf(commands: readonly Command[]): string {
  const options = commands.flatMap((command) => Object.entries(command.options));
  const byName = new Map(
    options.flatMap(([name, { choices }]) => (choices ? [[name, choices]] : [])),
  );
  return [...byName]
    .map(([name, values]) => `    *" --${name}") words='${values.join(' ')}' ;;`)
    .join('\n');
}

/** The words that can follow those before the cursor. */
function casesOf(commands: readonly Command[]): string {
  const names = commands.map(({ name }) => name.split(' '));
  const groups = new Map<string, string[]>();
  for (const [first = '', second] of names) {
    if (second !== undefined) groups.set(first, [...(groups.get(first) ?? []), second]);
  }
  const first = [...new Set(names.map(([word = '']) => word)), 'completion'];
  return [
    ...commands.map(({ name, options }) => {
      const flags = Object.keys({ ...options, ...GLOBAL }).map((option) => `--${option}`);
      return `    "${name}"|"${name} "*) words='${flags.join(' ')}' ;;`;
    }),
    ...[...groups].map(([word, seconds]) => `    "${word}") words='${seconds.join(' ')}' ;;`),
    `    "completion") words='bash zsh' ;;`,
    `    "") words='${first.join(' ')}' ;;`,
  ].join('\n');
}
