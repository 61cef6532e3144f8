using Poolhouse.Tool.Bench;
using Poolhouse.Tool.Bench.Streams.Pdf;
using Poolhouse.Tool.Cli.Studies;

namespace Poolhouse.Tool.Cli;

/// <summary>The option <c>--pdf</c>.</summary>
internal static class PdfOption
{
    /// <exception cref="UsageException">It was given where it cannot be used, or names a file that cannot be.</exception>
    public static void Check(BenchRequest request)
    {
        if (request.Pdf is null)
        {
            return;
        }

        if (!Catalog.Select(request.Choices).Any(study => study is PdfPageOrder))
        {
            throw new UsageException(
                $"--pdf is for '{Catalog.StreamGroup}' and '{Catalog.Everything}'; '{request.Choice}' reads no PDF.");
        }

        PdfInput.Read(request.Pdf);
    }
}
