namespace Poolhouse.Testing;

/// <summary>The kinds of leaks that a <see cref="LeakScope"/> and a <see cref="LeakCheck"/> find.</summary>
public enum LeakKind
{
    /// <summary>An item of a pool was not returned.</summary>
    Item = 0,

    /// <summary>
    /// An array of <see cref="System.Buffers.ArrayPool{T}.Shared"/> or another array pool of .NET was not returned.
    /// </summary>
    SharedArray = 1,

    /// <summary>A pool was not disposed.</summary>
    Pool = 2,
}
