namespace Poolhouse.Ldap.Internal;

/// <summary>A credential of the service, as long as the callback returns the same.</summary>
internal sealed class CredentialVersion(TimeProvider time)
{
    // Written before the flag, which is volatile: a thread that sees the flag also sees the time.
    private long _replacedAt;
    private volatile bool _isReplaced;

    /// <summary>Whether the callback has returned another credential since.</summary>
    public bool IsReplaced => _isReplaced;

    /// <summary>Whether it has been replaced for the given time.</summary>
    public bool HasBeenReplacedFor(TimeSpan span) => _isReplaced && time.GetElapsedTime(_replacedAt) >= span;

    /// <summary>Called once, when the callback has returned another credential.</summary>
    /// <param name="now">A timestamp of the clock.</param>
    public void Replace(long now)
    {
        _replacedAt = now;
        _isReplaced = true;
    }
}
