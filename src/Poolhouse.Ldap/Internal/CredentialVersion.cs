namespace Poolhouse.Ldap.Internal;

/// <summary>A credential of the service, as long as the callback returns the same.</summary>
internal sealed class CredentialVersion(TimeProvider time)
{
    // Written before the flag, which is volatile: a thread that sees the flag also sees the time.
    private long _supersededAt;
    private volatile bool _isSuperseded;

    /// <summary>Whether the callback has returned another credential since.</summary>
    public bool IsSuperseded => _isSuperseded;

    /// <summary>Whether it has been superseded for the given time.</summary>
    public bool HasBeenSupersededFor(TimeSpan span) => _isSuperseded && time.GetElapsedTime(_supersededAt) >= span;

    /// <summary>Called once, when the callback has returned another credential.</summary>
    /// <param name="now">A timestamp of the clock.</param>
    public void Supersede(long now)
    {
        _supersededAt = now;
        _isSuperseded = true;
    }
}
