namespace Poolhouse.Tool.Bench.Streams.Work;

/// <summary>The work on a stream between rent and return.</summary>
internal interface IStreamWork
{
    /// <summary>The number of operations: streams, or writes.</summary>
    int Operations { get; }

    /// <summary>The size hint that the source gets; 0 for none.</summary>
    long KnownLength { get; }

    // Not to be inlined: whether it is, and how well the whole is then compiled, would differ from rival to rival.
    /// <typeparam name="TSource">Whose stream it is: each rival gets code and a profile of its own.</typeparam>
    /// <param name="stream">At its beginning, empty.</param>
    /// <returns>Anything that depends on the work.</returns>
    long Do<TSource>(Stream stream)
        where TSource : struct;
}
