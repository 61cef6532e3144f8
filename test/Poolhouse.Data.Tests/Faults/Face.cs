namespace Poolhouse.Data.Tests.Faults;

/// <summary>The ways in which a caller gets a connection.</summary>
public enum Face
{
    LeaseAsync,
    LeaseSync,
    SourceAsync,
    SourceSync,
}
