namespace Poolhouse.Tool.Servers.Tds;

/// <summary>A request of a client after its login.</summary>
/// <param name="SessionId">The session, as <c>@@SPID</c> returns it.</param>
/// <param name="Text">
/// The batch; or the name of the procedure, with the statement that it executes; or begin, commit, rollback or save.
/// </param>
/// <param name="Resets">Whether it carried the flag that resets the session.</param>
internal sealed record TdsRequest(int SessionId, string Text, bool Resets);
