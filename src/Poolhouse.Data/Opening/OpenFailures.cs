using System.Net.Sockets;

namespace Poolhouse.Data.Opening;

/// <summary>Decides which failures of opening a connection are permanent. Thread safe.</summary>
internal sealed class OpenFailures(DbErrorClassifier errors)
{
    private volatile bool _hasOpened;

    /// <summary>Called when a connection was opened.</summary>
    public void OnOpened() => _hasOpened = true;

    /// <summary>
    /// Whether callers get a failure at once. This includes a server that cannot be reached, until it was reached once:
    /// before that, a misspelt name is more likely than a server that is down. If there are several hosts, all must have
    /// failed permanently.
    /// </summary>
    public bool ArePermanent(Exception failure) => failure is DbPoolException { Failures.Count: > 0 } several
        ? !several.IsTransient
        : errors.IsPermanent(failure) || (!_hasOpened && failure is not DbPoolException && IsUnreachable(failure));

    /// <summary>Whether only room is missing: of several hosts, at all of them.</summary>
    public bool LackRoom(Exception failure) => failure is DbPoolException { Failures: { Count: > 0 } failures }
        ? failures.All(errors.LacksRoom)
        : errors.LacksRoom(failure);

    private static bool IsUnreachable(Exception failure) =>
        DbProviderProfile.Chain(failure)
            .Any(static cause => cause is SocketException { SocketErrorCode: not SocketError.TimedOut });
}
