namespace Poolhouse.Testing;

/// <summary>How a toxic ends a connection.</summary>
public enum ConnectionEnd
{
    /// <summary>Both sides see an orderly end (FIN).</summary>
    Close,

    /// <summary>Both sides see a reset (RST).</summary>
    Reset,

    /// <summary>
    /// Neither side is notified: the connection stays open, and no data passes in this direction until the toxic is removed.
    /// </summary>
    Silence,
}
