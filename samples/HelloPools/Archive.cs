using System.IO.Compression;

namespace Poolhouse.Samples.HelloPools;

/// <summary>Somebody's library that packs texts: it knows nothing of pools, and asks for the streams it needs.</summary>
internal sealed class Archive(Func<Stream> streams)
{
    public Stream Pack(IEnumerable<string> texts)
    {
        var packed = streams();
        using (var zip = new ZipArchive(packed, ZipArchiveMode.Create, leaveOpen: true))
        {
            foreach (var text in texts)
            {
                using var entry = new StreamWriter(zip.CreateEntry(text).Open());
                entry.Write(text);
            }
        }

        packed.Position = 0;
        return packed;
    }
}
