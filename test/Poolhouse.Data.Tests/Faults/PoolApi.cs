namespace Poolhouse.Data.Tests.Faults;

/// <summary>The APIs through which a caller gets a connection.</summary>
public enum PoolApi
{
    LeaseAsync,
    LeaseSync,
    SourceAsync,
    SourceSync,
}
