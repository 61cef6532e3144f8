using System.Globalization;
using Poolhouse.Data.Budgets;

namespace Poolhouse.Data.Tests.Budgets;

/// <summary>
/// A simulated fleet: its members decide as the real ones do, on a server that accepts a number of sessions and lists them.
/// </summary>
internal sealed class Fleet
{
    private const int MostWanted = 20;

    private readonly Random _random;
    private readonly List<FleetMember> _members = [];
    private readonly int _places;
    private readonly bool _showsNames;

    public Fleet(int members, int places, bool showsNames, int seed)
    {
        (_places, _showsNames, _random) = (places, showsNames, new Random(seed));
        for (var i = 0; i < members; i++)
        {
            _members.Add(NewMember(i));
        }
    }

    public int Opened { get; private set; }

    public int Refused { get; private set; }

    public int MostUsed { get; private set; }

    public int Used { get; private set; }

    public IReadOnlyList<FleetMember> Members => _members;

    /// <summary>Lets one thing happen to one member.</summary>
    public void Step()
    {
        var i = _random.Next(_members.Count);
        var member = _members[i];
        switch (_random.Next(1000))
        {
            case < 3:
                Used -= member.Sessions;
                _members[i] = NewMember(i);
                break;
            case < 6:
                member.IsPaused = !member.IsPaused;
                break;
            case < 30:
                member.Wanted = _random.Next(MostWanted + 1);
                break;
            case < 300 when !member.IsPaused && _random.Next(10) > 0:
                Beat(member);
                break;
            case >= 300 when !member.IsPaused:
                TryFollow(member);
                break;
        }

        MostUsed = Math.Max(MostUsed, Used);
    }

    /// <summary>Lets every member have some beats, after which nothing is left to do.</summary>
    public void Settle(int beats)
    {
        _members.ForEach(static member => member.IsPaused = false);
        for (var i = 0; i < beats; i++)
        {
            foreach (var member in _members.OrderBy(_ => _random.Next()).ToList())
            {
                Beat(member);
                while (TryFollow(member))
                {
                }
            }
        }
    }

    private FleetMember NewMember(int number) =>
        new(string.Create(CultureInfo.InvariantCulture, $"m{number:D8}"), _showsNames) { Wanted = _random.Next(MostWanted + 1) };

    private void Beat(FleetMember member)
    {
        if (!member.IsJoined)
        {
            member.IsJoined = TryOpen();
        }

        if (member.IsJoined)
        {
            (member.Shown, member.IsRefused) = (member.Wanted, false);
            var shown = _members.Where(each => each.IsJoined || (_showsNames && each.Held > 0))
                .Select(each => (each.Name, _showsNames ? each.Held : each.Stated, each.Shown));
            member.Share.Follow(new SessionList(_places - Used, _places, SessionId: 0, [.. shown]), member.Held);

            // The list came at the end of a statement, and the next one begins.
            member.Stated = member.Held;
        }
    }

    /// <summary>Opens or closes one session, as far as the limit of the member demands or allows it.</summary>
    private bool TryFollow(FleetMember member)
    {
        if (member.Held > member.Share.Limit)
        {
            member.Held--;
            Used--;
            return true;
        }

        if (member.IsRefused || member.Held >= Math.Min(member.Share.Limit, member.Wanted))
        {
            return false;
        }

        member.IsRefused = !TryOpen();
        member.Held += member.IsRefused ? 0 : 1;
        return !member.IsRefused;
    }

    private bool TryOpen()
    {
        Opened++;
        if (Used == _places)
        {
            Refused++;
            return false;
        }

        Used++;
        return true;
    }
}
