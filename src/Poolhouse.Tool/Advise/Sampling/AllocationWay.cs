namespace Poolhouse.Tool.Advise.Sampling;

/// <summary>How something is allocated, by the methods on the stack.</summary>
internal enum AllocationWay
{
    /// <summary>By the application, or in a way that has no name here.</summary>
    Direct,

    /// <summary>By the constructor of a type.</summary>
    Constructor,

    /// <summary>By a <see cref="MemoryStream"/> that grows.</summary>
    MemoryStream,

    /// <summary>By a <see cref="System.Text.StringBuilder"/> that grows.</summary>
    StringBuilder,

    /// <summary>By a collection that grows.</summary>
    Collection,

    /// <summary>As the result of a conversion: <c>ToArray</c>, <c>ToString</c> and the like.</summary>
    Copy,

    /// <summary>By a pool.</summary>
    Pool,
}
