import type { FastifyInstance, FastifyRequest } from "fastify";
import { actorOf } from "../../../auth/actor.ts";
import { RefusedError } from "../../../desktop/error.ts";
import { asRefused } from "../../../recording/library/refused.ts";
import type { ReplayInfo, ReplayStateInfo } from "../../api/api.ts";
import { replayBodySchema, steerReplayBodySchema } from "../../api/recordings-api.ts";
import { principalOf } from "../../http/access.ts";
import { parse } from "../../http/parse.ts";
import type { ReplayedRecording, RoutePorts } from "../../http/ports.ts";
import { desktopOf } from "../desktops.ts";
import { recordingIdOf } from "./recordings.ts";

/** Recordings as desktops: shown at a moment, and played, for all who watch them. */
export function replayRoutes(app: FastifyInstance, ports: RoutePorts): void {
  const there = (): NonNullable<RoutePorts["replays"]> => {
    if (ports.replays) return ports.replays;
    throw new RefusedError("not_supported", "this server shows no recording as a desktop");
  };
  const playerOf = (request: FastifyRequest): ReplayedRecording =>
    there().player(desktopOf(ports, request).id);
  // A replay is a desktop more, for everybody: it takes the right to add one.
  app.post(
    "/api/v1/recordings/:id/replay",
    { config: { access: "connections" } },
    async (request, reply): Promise<ReplayInfo> => {
      const { at_ms = 0 } = parse(replayBodySchema, request.body);
      const by = actorOf(principalOf(request), request.ip);
      const desktop = await asRefused(() => there().open(recordingIdOf(request), at_ms, by));
      reply.code(201).header("location", `/api/v1/desktops/${encodeURIComponent(desktop.id)}`);
      return { desktop_id: desktop.id };
    },
  );
  const control = { config: { access: "control" } } as const;
  app.get("/api/v1/desktops/:id/replay", control, async (request): Promise<ReplayStateInfo> => {
    return stateInfo(playerOf(request));
  });
  const steer = { config: { access: "control", isAuditedFirst: false } } as const;
  app.patch("/api/v1/desktops/:id/replay", steer, async (request): Promise<ReplayStateInfo> => {
    const { at_ms, speed, is_playing } = parse(steerReplayBodySchema, request.body);
    const player = playerOf(request);
    if (speed !== undefined) player.setSpeed(speed);
    if (is_playing === false) player.pause();
    if (at_ms !== undefined) await asRefused(() => player.seek(at_ms));
    if (is_playing === true) player.play();
    return stateInfo(player);
  });
}

function stateInfo({ state }: ReplayedRecording): ReplayStateInfo {
  return {
    at_ms: Math.round(state.positionMs),
    duration_ms: state.durationMs,
    is_playing: state.isPlaying,
    speed: state.speed,
  };
}
