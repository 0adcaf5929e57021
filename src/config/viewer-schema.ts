import * as z from "zod";

/** How the picture goes to people's viewers. */
export const viewerSchema = z
  .strictObject({
    film_encoder: z
      .string()
      .min(1)
      .default("ffmpeg")
      .describe(
        "What encodes areas that move like a film for browsers, as H.264 instead of JPEG, with some tenth of its bytes: name in PATH or path of ffmpeg with libx264 (Debian: apt-get install ffmpeg). off: nothing does. Where there is none they go as JPEG; what stands still is sent exactly either way.",
      ),
  })
  .prefault({});
