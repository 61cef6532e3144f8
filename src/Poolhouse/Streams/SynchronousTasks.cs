namespace Poolhouse.Streams;

/// <summary>
/// The asynchronous members of streams that never wait: they complete synchronously, and report errors through the task, like
/// MemoryStream.
/// </summary>
internal static class SynchronousTasks
{
    /// <summary>Reads, and reuses the last task if the count is the same.</summary>
    public static Task<int> ReadAsync(
        Stream stream, Span<byte> destination, ref CountTask last, CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            return Task.FromCanceled<int>(cancellationToken);
        }

#pragma warning disable CA1031 // Every exception belongs in the task.
        try
        {
            return last.ForAsync(stream.Read(destination));
        }
        catch (Exception error)
        {
            return Task.FromException<int>(error);
        }
    }

    public static ValueTask<int> ReadAsync(Stream stream, Memory<byte> destination, CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<int>(cancellationToken);
        }

        try
        {
            return new ValueTask<int>(stream.Read(destination.Span));
        }
        catch (Exception error)
        {
            return ValueTask.FromException<int>(error);
        }
    }

    public static ValueTask WriteAsync(Stream stream, ReadOnlySpan<byte> source, CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled(cancellationToken);
        }

        try
        {
            stream.Write(source);
            return default;
        }
        catch (Exception error)
        {
            return ValueTask.FromException(error);
        }
#pragma warning restore CA1031
    }

    public static Task FlushAsync(CancellationToken cancellationToken) =>
        cancellationToken.IsCancellationRequested ? Task.FromCanceled(cancellationToken) : Task.CompletedTask;
}
