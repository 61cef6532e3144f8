namespace Poolhouse.Testing;

/// <summary>How a toxic ends a connection.</summary>
public enum ConnectionEnd
{
    /// <summary>Both sides see an orderly end (FIN).</summary>
    Close,

    /// <summary>Both sides see a reset (RST).</summary>
    Reset,

    /// <summary>Nobody sees anything: the connection stays, and nothing more goes through in this direction until the toxic is removed.</summary>
    Silence,
}
