namespace Poolhouse.Samples.EfCoreApp;

internal sealed class Note
{
    public int Id { get; set; }

    public string Text { get; set; } = "";
}
