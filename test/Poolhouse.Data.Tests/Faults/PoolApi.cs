namespace Poolhouse.Data.Tests.Faults;

/// <summary>The ways in which a caller gets a connection.</summary>
public enum PoolApi
{
    LeaseAsync,
    LeaseSync,
    SourceAsync,
    SourceSync,
}
