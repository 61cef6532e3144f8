namespace Poolhouse.Tool.Advise.Sampling;

/// <summary>A temporary folder that only this user can read, deleted with all that is in it.</summary>
internal sealed class PrivateFolder : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("poolhouse-");

    public string At(string name) => Path.Combine(_folder.FullName, name);

    public void Dispose()
    {
        try
        {
            _folder.Delete(recursive: true);
        }
        catch (IOException)
        {
            // The system deletes temporary files.
        }
    }
}
