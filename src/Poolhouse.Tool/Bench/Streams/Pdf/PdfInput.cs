using Poolhouse.Tool.Bench.Streams.Sources;

namespace Poolhouse.Tool.Bench.Streams.Pdf;

/// <summary>The document whose pages are reordered.</summary>
internal static class PdfInput
{
    /// <summary>The user's file, or the sample.</summary>
    /// <exception cref="UsageException">The file cannot be read, or is no document that its pages can be taken from.</exception>
    public static byte[] Read(string? path)
    {
        if (path is null)
        {
            return PdfSample.Bytes;
        }

        byte[] bytes;
        try
        {
            bytes = File.ReadAllBytes(path);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or ArgumentException)
        {
            throw new UsageException($"--pdf '{path}' cannot be read: {exception.Message}", exception);
        }

        try
        {
            return PdfReordering.Run<FreshStreams, MemoryStream>(default, bytes) > 0
                ? bytes
                : throw new UsageException($"--pdf '{path}' has no pages.");
        }
#pragma warning disable CA1031 // The library reports a damaged file with whatever exception it meets.
        catch (Exception exception) when (exception is not UsageException)
#pragma warning restore CA1031
        {
            throw new UsageException(
                $"--pdf '{path}' is no PDF file whose pages can be reordered. {exception.Message}", exception);
        }
    }
}
