namespace Poolhouse.Tool.Servers;

/// <summary>How a PostgreSQL server ends.</summary>
internal enum PostgresStop
{
    /// <summary>Connections are ended with SQLSTATE 57P01, and data are written.</summary>
    Fast,

    /// <summary>As in a crash: every process quits at once, and the next start recovers.</summary>
    Immediate,
}
