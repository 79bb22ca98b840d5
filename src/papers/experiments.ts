/** Every experiment, by paper. The order of the papers, and of the rows of each, is this one. */
import { traffic } from './beyond/bytes.ts';
import { claims } from './beyond/claims.ts';
import { curves } from './beyond/curves.ts';
import { fairness as shares } from './beyond/fairness.ts';
import { growth } from './beyond/growth.ts';
import type { Experiment } from './experiment.ts';
import { fairness } from './lodha-kshemkalyani/fairness.ts';
import { figures } from './lodha-kshemkalyani/figures.ts';
import { improvements } from './lodha-kshemkalyani/improvements.ts';
import { messages as lodhaMessages } from './lodha-kshemkalyani/messages.ts';
import { others as lodhaOthers } from './lodha-kshemkalyani/others.ts';
import { remarks as lodhaRemarks } from './lodha-kshemkalyani/remarks.ts';
import { cost as raymondCost } from './raymond/cost.ts';
import { demand } from './raymond/demand.ts';
import { failures } from './raymond/failures.ts';
import { figures as raymondFigures } from './raymond/figures.ts';
import { operation } from './raymond/operation.ts';
import { others as raymondOthers } from './raymond/others.ts';
import { proofs } from './raymond/proofs.ts';
import { strategies } from './raymond/strategies.ts';
import { together } from './raymond/together.ts';
import { trees } from './raymond/trees.ts';
import { variations } from './raymond/variations.ts';
import { analysis } from './rcv/analysis.ts';
import { correctness } from './rcv/correctness.ts';
import { lemmasOfSection5 } from './rcv/lemmas.ts';
import { load } from './rcv/load.ts';
import { others } from './rcv/others.ts';
import { section2 } from './rcv/section-2.ts';
import { simultaneous } from './rcv/simultaneous.ts';
import { delay } from './ricart-agrawala/delay.ts';
import { figure1 } from './ricart-agrawala/figure-1.ts';
import { forms } from './ricart-agrawala/forms.ts';
import { messages } from './ricart-agrawala/messages.ts';
import { numbers } from './ricart-agrawala/numbers.ts';
import { overtaking } from './ricart-agrawala/overtaking.ts';
import { practice } from './ricart-agrawala/practice.ts';
import { remarks as ricartAgrawalaRemarks } from './ricart-agrawala/remarks.ts';
import { coteries } from './survey/coteries.ts';
import { examples } from './survey/examples.ts';
import { harmonicNumber } from './survey/harmonic.ts';
import { liveness } from './survey/liveness.ts';
import { order } from './survey/order.ts';
import { permissions } from './survey/permissions.ts';
import { primes } from './survey/primes.ts';
import { quorumTokens } from './survey/quorum-tokens.ts';
import { remarks } from './survey/remarks.ts';
import { several } from './survey/several.ts';
import { tokens } from './survey/tokens.ts';

export const experiments: readonly Experiment[] = [
  tokens,
  quorumTokens,
  permissions,
  primes,
  several,
  order,
  remarks,
  liveness,
  coteries,
  examples,
  harmonicNumber,
  raymondCost,
  trees,
  demand,
  variations,
  strategies,
  operation,
  raymondOthers,
  raymondFigures,
  proofs,
  together,
  failures,
  messages,
  figure1,
  delay,
  forms,
  numbers,
  overtaking,
  practice,
  ricartAgrawalaRemarks,
  lodhaMessages,
  figures,
  fairness,
  improvements,
  lodhaOthers,
  lodhaRemarks,
  simultaneous,
  load,
  analysis,
  others,
  correctness,
  lemmasOfSection5,
  section2,
  claims,
  curves,
  traffic,
  shares,
  growth,
];
