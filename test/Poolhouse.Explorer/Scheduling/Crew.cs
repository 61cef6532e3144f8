namespace Poolhouse.Explorer.Scheduling;

/// <summary>The real threads of an exploration: the n-th actor of every run is played by the n-th.</summary>
internal sealed class Crew : IDisposable
{
    private readonly List<Baton> _members = [];

    public Baton Member(int number)
    {
        while (_members.Count <= number)
        {
            _members.Add(new Baton());
        }

        return _members[number];
    }

    public void Dispose() => _members.ForEach(member => member.Dismiss());
}
