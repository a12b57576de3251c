import type { Request, RequestHandler, Response, Router } from 'express';
import type { RegroupJob } from '../../generated/reader-answers.js';
import { sendJson } from '../http/messages/respond.js';
import { refuseOthers } from '../http/server/express-app.js';
import { readParameters } from './parameters.js';
import { NO_PARAMETERS } from './reading-parameters.js';
import type { RegroupJobs } from './regroup-jobs.js';
import { readGroupingChoice, readNoMembers } from './regroup-request.js';

const DONE = 200;
const GOES_ON = 202;

/** Adds what begins, shows and calls off regroupings. */
export function addRegroupRoutes(router: Router, jobs: RegroupJobs): void {
  for (const kind of ['preview', 'apply', 'roll_back'] as const) {
    const begin: RequestHandler = async (request, response) => {
      readParameters(request, NO_PARAMETERS);
      const choice =
        kind === 'roll_back' ? await readNoMembers(request).then(() => ({})) : await readGroupingChoice(request);
      send(response, jobs.begin(kind, choice));
    };
    router
      .route(`/regroup/${kind}`)
      .post(begin)
      .all(refuseOthers(['POST']));
  }
  router
    .route('/regroup')
    .get((request: Request, response: Response) => {
      readParameters(request, NO_PARAMETERS);
      sendJson(response, DONE, JSON.stringify(jobs.last));
    })
    .delete((request: Request, response: Response) => {
      readParameters(request, NO_PARAMETERS);
      send(response, jobs.cancel());
    })
    .all(refuseOthers(['GET', 'HEAD', 'DELETE']));
}

function send(response: Response, job: RegroupJob): void {
  sendJson(response, job.state === 'running' ? GOES_ON : DONE, JSON.stringify(job));
}
