import { mayflyCommands } from '@mayfly/client/cypress';

mayflyCommands();
