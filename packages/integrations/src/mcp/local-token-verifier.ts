import { createHash, timingSafeEqual } from "node:crypto";
import { OAuthError, OAuthErrorCode, type OAuthTokenVerifier } from "@modelcontextprotocol/server";

/** The one token of a server that serves one person on one machine. Compared without telling how much of a guess was right. */
export function localTokenVerifier(token: string): OAuthTokenVerifier {
  const expected = digest(token);
  return {
    verifyAccessToken: async (given) => {
      if (!timingSafeEqual(digest(given), expected)) {
        throw new OAuthError(OAuthErrorCode.InvalidToken, "The token is not the one that the server was started with.");
      }
      return { token: given, clientId: "local", scopes: [], expiresAt: Number.MAX_SAFE_INTEGER };
    },
  };
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
